"""What the driver says of a GPU: its clocks, its power, and what holds it back."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping, Sequence

_BASE = (
    "driver_version",
    "clocks.sm",
    "clocks.max.sm",
    "clocks.mem",
    "power.draw",
    "power.limit",
    "temperature.gpu",
)
_COUNTERS = tuple(
    f"clocks_event_reasons_counters.{reason}"
    for reason in (
        "sw_power_cap",
        "sync_boost",
        "sw_thermal_slowdown",
        "hw_thermal_slowdown",
        "hw_power_brake_slowdown",
    )
)
# One field that a driver does not know spoils the whole question. Drivers before 535 call the
# reasons clocks_throttle_reasons; the counters came later.
_QUERIES = (
    (*_BASE, "clocks_event_reasons.active", *_COUNTERS),
    (*_BASE, "clocks_event_reasons.active"),
    (*_BASE, "clocks_throttle_reasons.active"),
)
_SECONDS = 10
_UTILIZATION = "utilization.gpu"
# Utilisation is of the last second or a sixth of it, "depending on the product being queried"
# (nvmlDeviceGetUtilizationRates).
_IDLE_SECONDS = 1.1


def device_state(uuid: str) -> tuple[Mapping[str, str], str]:
    """What ``nvidia-smi`` says of one GPU, by its own names for it.

    Args:
        uuid: The GPU's, as CUDA says it: its number there is not that of ``nvidia-smi``.

    Returns:
        The values, those of counters in microseconds since the driver was loaded; and why there are
        none, in words without a full stop, or an empty string.
    """
    reason = ""
    for names in _QUERIES:
        try:
            lines = _asked(uuid, names)
        except FileNotFoundError:
            return {}, "nvidia-smi is not on the PATH"
        except (OSError, subprocess.SubprocessError) as error:
            return {}, f"nvidia-smi fails ({type(error).__name__})"
        values = [value.strip() for value in lines[0].split(",")] if len(lines) == 1 else []
        if len(values) == len(names):
            known = zip(names, values, strict=True)
            return {name: value for name, value in known if not value.startswith("[")}, ""
        reason = reason or (lines[0].strip().rstrip(".") if lines else "no answer")
    return {}, f"nvidia-smi cannot query GPU-{uuid} (possibly a MIG slice): {reason}"


def others_percent(uuid: str, idle_seconds: float = _IDLE_SECONDS) -> int | None:
    """For which share of the time something runs on a GPU while this process does nothing there.

    Processes are not counted: a container does not see those of others.

    Returns:
        Percent; None where the driver does not say it.
    """
    time.sleep(idle_seconds)
    try:
        lines = _asked(uuid, (_UTILIZATION,))
    except (OSError, subprocess.SubprocessError):
        return None
    text = lines[0].strip() if len(lines) == 1 else ""
    return int(text) if text.isascii() and text.isdecimal() else None


def _asked(uuid: str, names: Sequence[str]) -> list[str]:
    """The lines of an answer, whatever it is: an error is on standard output, too."""
    command = [
        "nvidia-smi", f"--id=GPU-{uuid}", f"--query-gpu={','.join(names)}",
        "--format=csv,noheader,nounits",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    text = done.stdout if done.stdout.strip() else done.stderr
    return [line for line in text.splitlines() if line.strip()]
