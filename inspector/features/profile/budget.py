"""Where the time of a call goes: the device at work, and why it is not."""

import collections
import dataclasses
import math
import statistics
from collections.abc import Callable, Mapping, Sequence

from inspector.features.profile.rounds import (
    LEAST_ROUNDS,
    medians_of,
    of_typical_calls,
    ratio_of_rounds,
    rounds_of,
    typical_ns,
)
from inspector.records.device_profile import DeviceLaunch, DeviceProfile, ProfiledCall
from inspector.shared.spans import union_ns

APPROXIMATE = 1.15
"""From so much slower on, a watched call says only roughly what an unwatched one does."""
UNSTABLE = 0.05
"""Times of the same calls that differ by more are called unstable."""
# A round of calls that took so many times as long as those of the others, or as short, met
# something else; where that are more than a third of them, there is nothing usual.
_UNUSUAL = 2.0
_MOST_UNUSUAL = 1 / 3


@dataclasses.dataclass(frozen=True, slots=True)
class Budget:
    """The time of a call, in ns; the parts add up to the whole.

    Attributes:
        wall_ns: Time of a call without the profiler: the geometric mean of the round medians, or
            the median if calls were not made in rounds.
        calls: Number of calls measured for ``wall_ns``.
        watched_ns: Median time of a call under the profiler.
        eager_ns: Time of an eager call, computed like ``wall_ns``, or None if not measured.
        busy_ns: Median time per call in which the device was busy. On the CPU, it is the busy share
            of the profiled calls that the tables cover, applied to ``wall_ns``.
        idle_ns: Time per call in which the device is idle: ``wall_ns`` minus ``busy_ns``.
        causes_ns: ``idle_ns`` by host activity, in the proportions of a call whose host was
            profiled; ``unknown`` if there is none.
        launches: Pieces of work of a call; on the CPU all that was timed of it.
        eager_launches: Number of launches in an eager call, or None.
        eager_busy_ns: Time of an eager call in which the device was busy, computed like
            ``busy_ns``, or None if not measured.
        faster: Eager time by compiled time, the mean of the ratios of rounds, with its 95 %
            interval; None of fewer than three rounds.
        spread: Relative difference between block medians of the same calls: largest divided by
            smallest, minus 1. None if calls were not made in blocks.
        is_seen: Whether the device's work was seen at all.
        busy_by_device_ns: Median of the time in which each device worked, by its number.
        host_copies_ns: Part of ``busy_ns`` in which only copies between host and device run, so
            that kernels wait for data.
        shown_ns: On the CPU, mean time of the profiled calls that the tables cover, whose entries
            sum to it; otherwise None.
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
    spread: float | None = None
    is_seen: bool = True
    busy_by_device_ns: Mapping[int, float] = dataclasses.field(default_factory=dict)
    shown_ns: float | None = None
    host_copies_ns: float = 0.0

    @property
    def busy_share(self) -> float:
        """How much of a call the device works."""
        return min(1.0, self.busy_ns / self.wall_ns) if self.wall_ns else 0.0

    @property
    def slowdown(self) -> float:
        """Overhead of the profiler: profiled time divided by plain time."""
        return self.watched_ns / self.wall_ns if self.watched_ns and self.wall_ns else 1.0

    @property
    def shown_slowdown(self) -> float:
        """How much longer the calls took that tables are about; 1 on a GPU, which works alike."""
        return self.shown_ns / self.wall_ns if self.shown_ns and self.wall_ns else 1.0

    @property
    def is_stable(self) -> bool:
        """Whether blocks of the same calls take the same time, as far as that is known."""
        return self.spread is None or self.spread <= UNSTABLE


def make_budget(profile: DeviceProfile, *, has_breaks: bool = True) -> Budget:
    """Where the time of a typical call goes.

    Args:
        has_breaks: Whether there are graph breaks: without any, what runs between compiled graphs
            is the program's own code.
    """
    left_out = _unusual(profile)
    rounds = rounds_of(profile.timed_blocks, left_out)
    wall_ns = typical_ns([plain for _, plain in rounds], profile.plain_ns)
    eager_ns = typical_ns([eager for eager, _ in rounds], profile.eager_ns) or None
    busy_ns = _busy_ns(profile, wall_ns)
    idle_ns = max(0.0, wall_ns - busy_ns)
    seen = collections.Counter(profile.idle_ns)
    if not has_breaks:
        seen["outside"] += seen.pop("graph-break", 0)
    total = seen.total()
    causes = {name: idle_ns * time_ns / total for name, time_ns in seen.most_common() if time_ns}
    calls = of_typical_calls(profile, wall_ns).calls
    found = [
        [time for at, time in medians_of(profile.timed_blocks, kind).items() if at not in left_out]
        for kind in ("plain", "eager")
    ]
    spreads = [max(medians) / min(medians) - 1 for medians in found if len(medians) > 1]
    return Budget(
        wall_ns=wall_ns,
        calls=len(profile.plain_ns),
        watched_ns=_median(profile.watched_ns),
        eager_ns=eager_ns,
        busy_ns=busy_ns,
        idle_ns=idle_ns,
        causes_ns=causes or ({"unknown": idle_ns} if idle_ns else {}),
        launches=len(profile.launches),
        eager_launches=round(_median([n for n, _ in profile.eager_work])) or None,
        eager_busy_ns=_eager_busy_ns(profile, eager_ns),
        faster=ratio_of_rounds(rounds),
        spread=max(spreads, default=None),
        is_seen=bool(profile.calls),
        busy_by_device_ns=_busy_by_device(profile),
        shown_ns=statistics.fmean(call.wall_ns for call in calls)
        if profile.is_cpu and calls
        else None,
        host_copies_ns=max(0.0, busy_ns - _busy_without(profile, busy_ns, crosses)),
    )


def _busy_ns(profile: DeviceProfile, wall_ns: float) -> float:
    if not profile.is_cpu:
        return _median([busy(call) for call in profile.calls])
    calls = of_typical_calls(profile, wall_ns).calls
    whole_ns = sum(call.wall_ns for call in calls)
    return wall_ns * min(1.0, sum(map(busy, calls)) / whole_ns) if whole_ns else 0.0


def _eager_busy_ns(profile: DeviceProfile, eager_ns: float | None) -> float | None:
    times = [time_ns for _, time_ns in profile.eager_work]
    if not profile.is_cpu:
        return _median(times) or None
    pairs = zip(times, profile.eager_watched_ns, strict=False)  # one of them may have been cut off
    shares = [min(1.0, time_ns / wall_ns) for time_ns, wall_ns in pairs if wall_ns]
    return (eager_ns or 0.0) * (statistics.median(shares) if shares else 0.0) or None


def busy_of_kernels(profile: DeviceProfile, budget: Budget) -> float:
    """The part of ``budget.busy_ns`` in which something else than copies was done."""
    return _busy_without(profile, budget.busy_ns, lambda item: item.kind in {"memcpy", "memset"})


def crosses(launch: DeviceLaunch) -> bool:
    """Whether it is a copy between host and device."""
    return launch.kind == "memcpy" and ("HtoD" in launch.name or "DtoH" in launch.name)


def _busy_without(
    profile: DeviceProfile, busy_ns: float, is_left_out: Callable[[DeviceLaunch], bool]
) -> float:
    """The part of ``busy_ns`` in which something else was done."""
    left_out = [is_left_out(launch) for launch in profile.launches]
    if not any(left_out):
        return busy_ns
    kept = [
        [span for span, is_one in zip(call.spans_ns, left_out, strict=True) if not is_one]
        for call in profile.calls
    ]
    return _median([union_ns(spans) for spans in kept])


def _busy_by_device(profile: DeviceProfile) -> Mapping[int, float]:
    used = [launch.device for launch in profile.launches]
    found = {}
    for device in sorted(set(used)):
        spans = (
            [span for span, at in zip(call.spans_ns, used, strict=True) if at == device]
            for call in profile.calls
        )
        found[device] = _median([union_ns(each) for each in spans])
    return found


def busy(call: ProfiledCall) -> int:
    """The union of the spans: what overlaps counts once."""
    return union_ns(call.spans_ns)


def _median(values: Sequence[int]) -> float:
    return float(statistics.median(values)) if values else 0.0


def _unusual(profile: DeviceProfile) -> frozenset[int]:
    """The rounds whose calls took much longer than usual, or less, which are left out.

    Both kinds of calls of a round are taken together: what met one of them met the other, as a
    rule, and which of them is faster must not decide. A round that was cut off has one alone.
    """
    eager, plain = (medians_of(profile.timed_blocks, kind) for kind in ("eager", "plain"))
    both = {number: math.sqrt(eager[number] * plain[number]) for number in eager.keys() & plain}
    levels = both or plain
    if not levels:
        return frozenset()
    usual = statistics.median(levels.values())
    found = {n for n, level in levels.items() if not 1 / _UNUSUAL < level / usual < _UNUSUAL}
    is_enough = len(levels) - len(found) >= LEAST_ROUNDS
    return frozenset(found if is_enough and len(found) <= len(levels) * _MOST_UNUSUAL else ())
