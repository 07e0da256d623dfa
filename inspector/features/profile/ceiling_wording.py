"""How a report says what the machine can do, and in which state it was."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence

from inspector.records.ceilings import Ceilings, DeviceState
from inspector.report.wording import count, duration

_TERA = 1e12
_GIGA = 1e9
_LEAST_GIGA = 0.1 * _GIGA
_MEGA = 1e6
_HUNDRED = 99.95
_MEMORY = (("copy_bytes_per_s", "copied "), ("l2_bytes_per_s", "L2 cache "))
_HOST = (("host_to_device_bytes_per_s", ""),)
_PRODUCTS = "_flops_per_s"
_NAMES = {
    **{key: words.strip() for key, words in _MEMORY},
    "host_to_device_bytes_per_s": "host to GPU",
    "kernel_floor_ns": "empty kernel",
}
_LEAST_SHARE = 0.005
# As in inspector/capture/profiling/ceilings.py, which keeps such figures for an hour only.
_OTHERS, _BUSY_PERCENT = "others_percent", 10
# What holds a GPU's clocks back: bits of NVML (nvml.h, nvmlClocksEventReason…; drivers before 535
# call them nvmlClocksThrottleReason…).
_REASONS = {
    0x2: "application clocks setting",
    0x4: "software power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
    0x100: "display clock setting",
}
_IDLE = 0x1  # no clocks are needed: that holds nothing back
_ACTIVE = ("clocks_event_reasons.active", "clocks_throttle_reasons.active")
_COUNTERS = {
    "clocks_event_reasons_counters.sw_power_cap": _REASONS[0x4],
    "clocks_event_reasons_counters.sync_boost": _REASONS[0x10],
    "clocks_event_reasons_counters.sw_thermal_slowdown": _REASONS[0x20],
    "clocks_event_reasons_counters.hw_thermal_slowdown": _REASONS[0x40],
    "clocks_event_reasons_counters.hw_power_brake_slowdown": _REASONS[0x80],
}


def ceiling_lines(ceilings: Ceilings) -> Iterator[tuple[str, str]]:
    """What the machine can do, in which state it was and when."""
    reasons: dict[str, list[str]] = {}
    for name, reason in ceilings.missing.items():
        reasons.setdefault(reason, []).append(_NAMES.get(name, name.removesuffix(_PRODUCTS)))
    missing = (f"{', '.join(names)} ({reason})" for reason, names in reasons.items())
    for label, parts in (
        ("memory", _rates(ceilings, _MEMORY)),
        ("host to GPU", _rates(ceilings, _HOST)),
        ("matrix products", _products(ceilings)),
        ("an empty kernel", _floor(ceilings)),
        ("meanwhile" if ceilings.state else "with", _state(ceilings)),
        ("measured", [_when(ceilings)]),
        ("not measured", ["; ".join(missing)]),
    ):
        text = ", ".join(parts)
        if text:
            yield label, text


def busy_notice(ceilings: Ceilings) -> str:
    """That others were at work when the machine was measured; empty where they were not."""
    others = ceilings.facts.get(_OTHERS, 0)
    if others <= _BUSY_PERCENT:
        return ""
    return (
        f"peak rates were measured while other programs used the GPU ({others}% of the time): pass "
        "`--fresh-ceilings` to measure again"
    )


def others_notice(state: DeviceState) -> str:
    """That others were at work while a profile was made; empty where they were not."""
    others = state.others_percent or 0
    if others <= _BUSY_PERCENT:
        return ""
    return (
        f"another program used the GPU {others}% of the time, so calls took longer: choose a free "
        "GPU with CUDA_VISIBLE_DEVICES"
    )


def throttled_notice(state: DeviceState) -> str:
    """That the GPU's clocks were held back while a profile was made; empty where they were not."""
    parts = [
        reason if share is None else f"{reason} ({share:.0%} of the time)"
        for reason, share in held_back(state).items()
        if share is None or share >= _LEAST_SHARE
    ]
    if not parts:
        return ""
    clocks = ", ".join(_clocks(state.after))
    after = f"; clocks afterwards: {clocks}" if clocks else ""
    return f"the GPU was throttled by {' and '.join(parts)}{after}"


def _rates(ceilings: Ceilings, names: Sequence[tuple[str, str]]) -> Iterator[str]:
    for key, words in names:
        if key in ceilings.values:
            yield _with_spread(ceilings, key, f"{words}{bytes_rate(ceilings.values[key])}")


def _with_spread(ceilings: Ceilings, name: str, text: str) -> str:
    spread = ceilings.unstable.get(name)
    return f"{text} (unstable, ±{max(spread, 0.01):.0%})" if spread else text


def _products(ceilings: Ceilings) -> Iterator[str]:
    """The dtypes, with one unit for all of them at the end."""
    found = {name: rate for name, rate in ceilings.values.items() if name.endswith(_PRODUCTS)}
    unit, factor = _flops_unit(max(found.values(), default=0.0))
    for number, (name, rate) in enumerate(found.items(), 1):
        last = f" {unit}" if number == len(found) else ""
        text = f"{name.removesuffix(_PRODUCTS)} {_number(rate / factor)}{last}"
        yield _with_spread(ceilings, name, text)


def _state(ceilings: Ceilings) -> Iterator[str]:
    yield from _clocks(ceilings.state)
    number = ceilings.facts.get("threads")
    if number:
        threads = count(number, "thread")
        processors = ceilings.facts.get("processors")
        yield f"{threads} on {count(processors, 'processor')}" if processors else threads
    reasons = slowed_by(ceilings.state)
    if reasons:
        yield f"slowed by: {' and '.join(reasons)}"
    if ceilings.state_missing:
        yield f"clocks and power unknown ({ceilings.state_missing})"


def _clocks(state: Mapping[str, str]) -> Iterator[str]:
    numbers = {name: _value(text) for name, text in state.items()}
    values = {name: number for name, number in numbers.items() if number is not None}
    for name, most, words, unit in (
        ("clocks.sm", "clocks.max.sm", "SM clock ", "MHz"),
        ("clocks.mem", "", "memory ", "MHz"),
        ("power.draw", "power.limit", "power ", "W"),
        ("temperature.gpu", "", "", "°C"),
    ):
        if name in values:
            limit = f" of {values[most]:,.0f}" if most in values else ""
            yield f"{words}{values[name]:,.0f}{limit} {unit}"


def _when(ceilings: Ceilings) -> str:
    took = f", in {duration(ceilings.took_ns)}" if ceilings.took_ns else ""
    if not ceilings.is_cached:
        return f"with this recording{took}"
    at = dt.datetime.fromtimestamp(ceilings.measured_at_s, dt.UTC)
    return f"on {at:%Y-%m-%d}{took}"


def _floor(ceilings: Ceilings) -> Iterator[str]:
    """Below 1 µs with one digit more than other durations have."""
    name = "kernel_floor_ns"
    time_ns = ceilings.values.get(name)
    if time_ns is not None:
        text = f"{time_ns / 1e3:.2f} µs" if time_ns < 1e3 else duration(time_ns)  # noqa: PLR2004
        yield _with_spread(ceilings, name, text)


def bytes_rate(bytes_per_s: float) -> str:
    """``4.06 TB/s``, ``54.7 GB/s``, ``54.7 MB/s``."""
    if bytes_per_s >= _TERA:
        return f"{bytes_per_s / _TERA:.2f} TB/s"
    if bytes_per_s >= _LEAST_GIGA:
        return f"{bytes_per_s / _GIGA:.1f} GB/s"
    return f"{_number(bytes_per_s / _MEGA)} MB/s"


def flops_rate(flops_per_s: float) -> str:
    """A rate of operations with its unit: ``51.2 TFLOP/s``, ``51.2 MFLOP/s``."""
    unit, factor = _flops_unit(flops_per_s)
    return f"{_number(flops_per_s / factor)} {unit}"


def _flops_unit(flops_per_s: float) -> tuple[str, float]:
    if flops_per_s >= _TERA:
        return "TFLOP/s", _TERA
    return ("GFLOP/s", _GIGA) if flops_per_s >= _LEAST_GIGA else ("MFLOP/s", _MEGA)


def _number(value: float) -> str:
    """Three digits, and all that stand before the point."""
    return f"{value:,.0f}" if value >= _HUNDRED else f"{value:.3g}"


def slowed_by(state: Mapping[str, str]) -> tuple[str, ...]:
    """What held the clocks back when the driver was asked, in words; none where it did not say."""
    text = next((state[name] for name in _ACTIVE if name in state), "")
    try:
        mask = int(text, 16)
    except ValueError:
        return ()
    known = tuple(reason for bit, reason in _REASONS.items() if mask & bit)
    rest = mask & ~(_IDLE | sum(_REASONS))
    return known + ((f"an unknown reason ({rest:#x})",) if rest else ())


def held_back(state: DeviceState) -> Mapping[str, float | None]:
    """What held the clocks back while a profile was made, and for which share of the time.

    The driver counts the time itself. Where it does not, what it says right after counts, and the
    share is None.
    """
    found: dict[str, float | None] = {}
    for name, reason in _COUNTERS.items():
        before, after = (_value(values.get(name, "")) for values in (state.before, state.after))
        if before is not None and after is not None and after > before and state.elapsed_ns:
            found[reason] = min(1.0, (after - before) * 1e3 / state.elapsed_ns)
    if not any(name in state.after for name in _COUNTERS):
        found.update(dict.fromkeys(slowed_by(state.after)))
    return found


def _value(text: str) -> float | None:
    try:
        return float(text.split(maxsplit=1)[0]) if text.strip() else None
    except ValueError:
        return None
