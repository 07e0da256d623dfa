"""What holds a GPU's clocks back, out of what ``nvidia-smi`` says of it.

The bits and their names are those of NVML (nvml.h, ``nvmlClocksEventReason…``; drivers before 535
call them ``nvmlClocksThrottleReason…``).
"""

from __future__ import annotations

from collections.abc import Mapping

from inspector.records.ceilings import DeviceState

_REASONS = {
    0x2: "an application clocks setting",
    0x4: "software power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
    0x100: "a display clocks setting",
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
        before, after = (_number(values.get(name, "")) for values in (state.before, state.after))
        if before is not None and after is not None and after > before and state.elapsed_ns:
            found[reason] = min(1.0, (after - before) * 1e3 / state.elapsed_ns)
    if not any(name in state.after for name in _COUNTERS):
        found.update(dict.fromkeys(slowed_by(state.after)))
    return found


def state_values(state: Mapping[str, str]) -> Mapping[str, float]:
    """Those of the driver's values that are numbers."""
    numbers = {name: _number(text) for name, text in state.items()}
    return {name: number for name, number in numbers.items() if number is not None}


def _number(text: str) -> float | None:
    try:
        return float(text.split(maxsplit=1)[0]) if text.strip() else None
    except ValueError:
        return None
