"""How a report says what the machine can do, and in which state it was."""

import datetime as dt
from collections.abc import Iterator, Mapping

from inspector.records.ceilings import Ceilings, DeviceState
from inspector.report.wording import duration

_PREFIXES = (("T", 1e12), ("G", 1e9), ("M", 1e6))
_HUNDRED = 99.95
_PRODUCTS = "_flops_per_s"
_NAMES = {
    "copy_bytes_per_s": "memory",
    "l2_bytes_per_s": "L2 cache",
    "host_to_device_bytes_per_s": "host to GPU",
    "kernel_floor_ns": "an empty kernel",
}
_LEAST_SHARE = 0.005
# How long the driver says that each held a GPU's clocks back.
_COUNTERS = {
    f"clocks_event_reasons_counters.{name}": reason
    for name, reason in (
        ("sw_power_cap", "software power cap"),
        ("sync_boost", "sync boost"),
        ("sw_thermal_slowdown", "software thermal slowdown"),
        ("hw_thermal_slowdown", "hardware thermal slowdown"),
        ("hw_power_brake_slowdown", "hardware power brake"),
    )
}


def ceiling_lines(ceilings: Ceilings) -> Iterator[tuple[str, str]]:
    """What the machine can do, when that was measured, and what was not."""
    products = []
    for name, value in ceilings.values.items():
        spread = ceilings.unstable.get(name)
        sure = f" (unstable, ±{max(spread, 0.01):.0%})" if spread else ""
        if name.endswith(_PRODUCTS):
            products.append(f"{name.removesuffix(_PRODUCTS)} {rate(value, 'FLOP/s')}{sure}")
        elif name in _NAMES:
            shown = duration(value) if name.endswith("_ns") else rate(value, "B/s")
            yield _NAMES[name], f"{shown}{sure}"
    if products:
        yield "matrix products", ", ".join(products)
    yield "measured", _when(ceilings)
    for name, reason in ceilings.missing.items():
        yield "not measured", f"{_NAMES.get(name, name.removesuffix(_PRODUCTS))} ({reason})"


def throttled_notice(state: DeviceState) -> str:
    """That the GPU's clocks were held back while a profile was made; empty where they were not."""
    parts = [
        f"{reason} ({share:.0%} of the time)"
        for reason, share in held_back(state).items()
        if share >= _LEAST_SHARE
    ]
    return f"the GPU was throttled by {' and '.join(parts)}" if parts else ""


def _when(ceilings: Ceilings) -> str:
    took = f", in {duration(ceilings.took_ns)}" if ceilings.took_ns else ""
    if not ceilings.is_cached:
        return f"with this recording{took}"
    at = dt.datetime.fromtimestamp(ceilings.measured_at_s, dt.UTC)
    return f"on {at:%Y-%m-%d}{took}"


def rate(per_s: float, unit: str) -> str:
    """A rate with three digits, and all that stand before the point: ``4.06 TB/s``, ``51 GB/s``.

    Args:
        unit: ``B/s`` or ``FLOP/s``.
    """
    prefix, factor = next((item for item in _PREFIXES if per_s >= item[1]), _PREFIXES[-1])
    value = per_s / factor
    return f"{f'{value:,.0f}' if value >= _HUNDRED else f'{value:.3g}'} {prefix}{unit}"


def held_back(state: DeviceState) -> Mapping[str, float]:
    """What held the clocks back while a profile was made, for which share of the time."""
    found = {}
    for name, reason in _COUNTERS.items():
        before, after = (_value(values.get(name, "")) for values in (state.before, state.after))
        if before is not None and after is not None and after > before and state.elapsed_ns:
            found[reason] = min(1.0, (after - before) * 1e3 / state.elapsed_ns)
    return found


def _value(text: str) -> float | None:
    try:
        return float(text.split(maxsplit=1)[0]) if text.strip() else None
    except ValueError:
        return None
