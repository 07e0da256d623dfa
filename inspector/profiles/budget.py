"""Where the time of a call goes: the device at work, and why it is not."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Mapping, Sequence

from inspector.events.device_profile import DeviceProfile, ProfiledCall

__all__ = ["Budget", "make_budget"]


@dataclasses.dataclass(frozen=True, slots=True)
class Budget:
    """The time of a call, in ns; the parts add up to the whole.

    Attributes:
        wall_ns: Median of calls that nobody watched.
        calls: How many these were.
        watched_ns: Median of calls under the profiler.
        eager_ns: Median of calls without the compiler, or None.
        busy_ns: Median of the time in which the device worked.
        idle_ns: The rest of ``wall_ns``.
        causes_ns: ``idle_ns`` by what the host did, in the proportions of a call whose host was
            watched; ``unknown`` where that is not known.
        launches: Launches of a call.
        eager_launches: Launches of a call without the compiler, or None.
        eager_busy_ns: Median of the time in which the device works then, or None.
        faster: Eager time by compiled time, with the 95 % interval of the ratio of medians, or
            None.
    """

    wall_ns: float
    calls: int
    watched_ns: float
    eager_ns: float | None
    busy_ns: float
    idle_ns: float
    causes_ns: Mapping[str, float]
    launches: int
    eager_launches: int | None
    eager_busy_ns: float | None
    faster: tuple[float, float, float] | None

    @property
    def busy_share(self) -> float:
        """How much of a call the device works."""
        return min(1.0, self.busy_ns / self.wall_ns) if self.wall_ns else 0.0

    @property
    def slowdown(self) -> float:
        """What the profiler adds: watched by plain time."""
        return self.watched_ns / self.wall_ns if self.wall_ns else 1.0


def make_budget(profile: DeviceProfile) -> Budget:
    """Where the time of a typical call goes."""
    wall_ns = _median(profile.plain_ns)
    busy_ns = _median([busy(call) for call in profile.calls])
    idle_ns = max(0.0, wall_ns - busy_ns)
    total = sum(profile.idle_ns.values())
    causes = {
        name: idle_ns * time_ns / total
        for name, time_ns in sorted(profile.idle_ns.items(), key=lambda item: -item[1])
        if total
    }
    return Budget(
        wall_ns=wall_ns,
        calls=len(profile.plain_ns),
        watched_ns=_median(profile.watched_ns),
        eager_ns=_median(profile.eager_ns) if profile.eager_ns else None,
        busy_ns=busy_ns,
        idle_ns=idle_ns,
        causes_ns=causes or ({"unknown": idle_ns} if idle_ns else {}),
        launches=len(profile.launches),
        eager_launches=round(_median([n for n, _ in profile.eager_work])) or None,
        eager_busy_ns=_median([time_ns for _, time_ns in profile.eager_work]) or None,
        faster=_ratio(profile.eager_ns, profile.plain_ns),
    )


def busy(call: ProfiledCall) -> int:
    """The union of the spans: what overlaps counts once."""
    total, until = 0, 0
    for begin_ns, end_ns in sorted(call.spans_ns):
        total += max(0, end_ns - max(begin_ns, until))
        until = max(until, end_ns)
    return total


def _median(values: Sequence[int]) -> float:
    return float(statistics.median(values)) if values else 0.0


def _ratio(above: Sequence[int], below: Sequence[int]) -> tuple[float, float, float] | None:
    """The ratio of two medians with an interval, from the ranks that hold a median by 95 %.

    The interval of a median is between the order statistics n/2 ± 0.98 √n (the normal approximation
    of the binomial, as in Conover, Practical Nonparametric Statistics); that of the ratio takes the
    far ends of both, and so is wider than 95 %.
    """
    if not above or not below:
        return None
    (low, middle, high), (floor, centre, top) = map(_interval, (above, below))
    return (low / top, middle / centre, high / floor) if floor and top and centre else None


def _interval(values: Sequence[int]) -> tuple[float, float, float]:
    ordered = sorted(values)
    half, reach = len(ordered) / 2, 0.98 * len(ordered) ** 0.5
    low = ordered[max(0, int(half - reach))]
    high = ordered[min(len(ordered) - 1, int(half + reach))]
    return float(low), float(statistics.median(ordered)), float(high)
