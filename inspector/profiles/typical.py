"""Which of the watched calls a report is about."""

from __future__ import annotations

import dataclasses
import math
import statistics

from inspector.records.device_profile import DeviceProfile, ProfiledCall


def is_cpu(profile: DeviceProfile) -> bool:
    """Whether the calls ran on the CPU."""
    return profile.device.get("kind") == "cpu"


def of_typical_calls(profile: DeviceProfile, wall_ns: float) -> DeviceProfile:
    """The profile with those watched calls alone that took most nearly what unwatched ones take.

    On the CPU, where another program may make a call several times as long, the nearer half of the
    calls is taken, and the mean of what each thing took in them: means over the same calls add up,
    which medians of things that differ do not. A GPU's times vary little: all of its calls stay.

    Args:
        wall_ns: Time of a call that nobody watched, or 0 where there was none.
    """
    if not is_cpu(profile) or not profile.calls:
        return profile
    usual_ns = wall_ns or statistics.median(call.wall_ns for call in profile.calls)
    ordered = sorted(profile.calls, key=lambda call: _distance(call, usual_ns))
    taken = {id(call) for call in ordered[: math.ceil(len(ordered) / 2)]}
    return dataclasses.replace(
        profile, calls=tuple(call for call in profile.calls if id(call) in taken)
    )


def _distance(call: ProfiledCall, usual_ns: float) -> float:
    return abs(math.log(max(call.wall_ns, 1) / max(usual_ns, 1)))
