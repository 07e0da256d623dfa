"""How long guards take in a warm call, out of the marks that torch writes when it is profiled."""

import dataclasses
import itertools
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from inspector.records.timeline import CallProfile
from inspector.run.run import Process
from inspector.run.timeline import Mark, MarkKind, threads_of


@dataclasses.dataclass(frozen=True, slots=True)
class GuardTime:
    """Guard evaluation time in a warm call: the mean over inputs of the median over calls.

    Attributes:
        per_call_ns: Time of all lookups in Dynamo's cache, corrected for profiling overhead.
        least_ns: The same in the calls in which it took least: what disturbs only adds.
        call_ns: Time of a call; without the profiler where that was measured.
        lookups: Cache lookups per call: one per entered compiled function.
        by_frame: Guard time per call by frame id; for a program, per entry into compiled code.
        is_program: Whether calls are not marked; each entry into compiled code then counts as a
            call.
    """

    per_call_ns: int
    least_ns: int
    call_ns: int
    lookups: float
    calls: int
    by_frame: Mapping[int, int]
    is_program: bool

    @property
    def share(self) -> float:
        """Share of guards in a call, from 0 to 1."""
        return min(self.per_call_ns / self.call_ns, 1.0) if self.call_ns else 0.0


_Middle: TypeAlias = Callable[[Iterable[int]], float]


@dataclasses.dataclass(frozen=True, slots=True)
class _Call:
    wall_ns: int
    guards_ns: int
    lookups: int
    by_frame: Mapping[int, int]


def guard_time(process: Process) -> GuardTime | None:
    """The guards' time in the calls of a process, or None where none were profiled."""
    profiles = [
        (calls, profile)
        for profile in process.profiles
        if not profile.with_device and (calls := list(_calls(profile)))
    ]
    if not profiles:
        return None
    inputs = [calls for calls, _ in profiles]
    is_program = any(profile.input is None for _, profile in profiles)

    def mean(of: Callable[[_Call], int], middle: _Middle = statistics.median) -> float:
        return statistics.mean(middle(map(of, calls)) for calls in inputs)

    def of_frame(frame: int) -> float:
        medians = []
        for calls in inputs:
            times = [call.by_frame[frame] for call in calls if frame in call.by_frame]
            times += [] if is_program else [0] * (len(calls) - len(times))
            medians += [statistics.median(times)] if times else []
        return statistics.mean(medians)

    frames = {frame for calls in inputs for call in calls for frame in call.by_frame}
    whole_ns = (
        statistics.median(call.wall_ns for call in calls)
        if profile.plain_ns is None
        else profile.plain_ns
        for calls, profile in profiles
    )
    return GuardTime(
        per_call_ns=round(mean(lambda call: call.guards_ns)),
        least_ns=round(mean(lambda call: call.guards_ns, min)),
        call_ns=round(statistics.mean(whole_ns)),
        lookups=mean(lambda call: call.lookups),
        calls=sum(map(len, inputs)),
        by_frame={frame: round(of_frame(frame)) for frame in sorted(frames)},
        is_program=is_program,
    )


def _calls(profile: CallProfile) -> Iterator[_Call]:
    number = 0
    for thread in threads_of(profile):
        for mark in thread.marks:
            if mark.kind is not MarkKind.CALL:
                continue
            if number not in profile.compiled:
                yield _call(mark.inner, mark.end_ns - mark.start_ns, profile.mark_ns)
            number += 1
        if profile.input is None:
            # Each look into the cache with the compiled code after it.
            for one, other in itertools.pairwise(thread.marks):
                if one.kind is MarkKind.LOOKUP and other.kind is MarkKind.REGION:
                    yield _call((one, other), other.end_ns - one.start_ns, profile.mark_ns)


def _call(marks: Sequence[Mark], wall_ns: int, mark_ns: int) -> _Call:
    by_frame: Counter[int] = Counter()
    total_ns = lookups = 0
    for lookup_ns, frame in _lookups(marks, mark_ns):
        total_ns += lookup_ns
        lookups += 1
        if frame is not None:
            by_frame[frame] += lookup_ns
    return _Call(wall_ns, total_ns, lookups, by_frame)


def _lookups(marks: Sequence[Mark], mark_ns: int) -> Iterator[tuple[int, int | None]]:
    """The looks into the cache, each with the number of the frame whose code runs after it."""
    waiting: list[Sequence[Mark]] = [marks]
    while waiting:
        level = waiting.pop()
        waiting += [mark.inner for mark in level if mark.inner]
        for mark, after in itertools.zip_longest(level, level[1:]):
            if mark.kind is MarkKind.LOOKUP:
                is_entered = after is not None and after.kind is MarkKind.REGION
                # Of a compile id: ``1/0``, ``!2/1/0``.
                number = after.label.split("/")[-2:-1] if is_entered else []
                frame = int(number[0]) if number and number[0].isdecimal() else None
                yield max(0, mark.end_ns - mark.start_ns - mark_ns), frame
