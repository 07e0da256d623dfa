"""What a machine can do as JSON."""

from __future__ import annotations

from inspector.records.ceilings import Ceilings


def ceilings_fields(ceilings: Ceilings) -> dict[str, object]:
    """What was measured, when, and the state of the device meanwhile."""
    return {
        "device": ceilings.device,
        "measured_at_s": ceilings.measured_at_s,
        "cached": ceilings.is_cached,
        "values": dict(ceilings.values),
        "state": dict(ceilings.state),
    }
