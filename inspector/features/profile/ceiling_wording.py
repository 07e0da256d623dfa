"""How a report says what the machine can do, and in which state it was."""

import datetime as dt
from collections.abc import Iterator, Mapping

from inspector.records.ceilings import Ceilings, DeviceState
from inspector.report.wording import duration

_TERA = 1e12
_GIGA = 1e9
_LEAST_GIGA = 0.1 * _GIGA
_MEGA = 1e6
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
            products.append(f"{name.removesuffix(_PRODUCTS)} {flops_rate(value)}{sure}")
        elif name in _NAMES:
            # Below 1 µs with one digit more than other durations have.
            time = f"{value / 1e3:.2f} µs" if value < 1e3 else duration(value)  # noqa: PLR2004
            yield _NAMES[name], f"{time if name.endswith('_ns') else bytes_rate(value)}{sure}"
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


def bytes_rate(bytes_per_s: float) -> str:
    """``4.06 TB/s``, ``54.7 GB/s``, ``54.7 MB/s``."""
    if bytes_per_s >= _TERA:
        return f"{bytes_per_s / _TERA:.2f} TB/s"
    if bytes_per_s >= _LEAST_GIGA:
        return f"{bytes_per_s / _GIGA:.1f} GB/s"
    return f"{_number(bytes_per_s / _MEGA)} MB/s"


def flops_rate(flops_per_s: float) -> str:
    """A rate of operations with its unit: ``51.2 TFLOP/s``, ``51.2 MFLOP/s``."""
    for unit, factor, least in (("T", _TERA, _TERA), ("G", _GIGA, _LEAST_GIGA)):
        if flops_per_s >= least:
            return f"{_number(flops_per_s / factor)} {unit}FLOP/s"
    return f"{_number(flops_per_s / _MEGA)} MFLOP/s"


def _number(value: float) -> str:
    """Three digits, and all that stand before the point."""
    return f"{value:,.0f}" if value >= _HUNDRED else f"{value:.3g}"


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
