"""How long guards take in a warm call, out of the marks that torch writes when it is profiled."""

from __future__ import annotations

import dataclasses
import itertools
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from inspector.records.timeline import CallProfile
from inspector.run.run import Process
from inspector.run.timeline import Mark, MarkKind, threads_of


@dataclasses.dataclass(frozen=True, slots=True)
class GuardTime:
    """Guards in a warm call; means over the inputs of the medians over their calls.

    Attributes:
        per_call_ns: Time of all looks into Dynamo's cache, without what the marks cost.
        least_ns: The same in the calls in which it took least: what disturbs only adds.
        call_ns: Time of a call; without the profiler where that was measured.
        lookups: Looks into the cache per call: one per compiled function that is entered.
        by_frame: The time per call (of a program: per entry) by the number of the frame.
        is_program: Whether nothing marks calls: one is then one entry into compiled code.
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
        """The guards' part of a call, from 0 to 1."""
        return min(self.per_call_ns / self.call_ns, 1.0) if self.call_ns else 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class _Call:
    wall_ns: int
    guards_ns: int
    lookups: int
    by_frame: Mapping[int, int]


def guard_time(process: Process) -> GuardTime | None:
    """The guards' time in the calls of a process, or None where none were profiled."""
    inputs: list[tuple[list[_Call], int | None]] = []
    is_program = False
    for profile in process.profiles:
        calls = list(_calls(profile)) if not profile.with_device else []
        if calls:
            inputs.append((calls, profile.plain_ns))
            is_program = is_program or profile.input is None
    if not inputs:
        return None
    frames = {frame for calls, _ in inputs for call in calls for frame in call.by_frame}
    return GuardTime(
        per_call_ns=round(_mean(inputs, lambda call: call.guards_ns)),
        least_ns=round(_mean(inputs, lambda call: call.guards_ns, min)),
        call_ns=round(
            statistics.mean(
                statistics.median(call.wall_ns for call in calls) if plain is None else plain
                for calls, plain in inputs
            )
        ),
        lookups=_mean(inputs, lambda call: call.lookups),
        calls=sum(len(calls) for calls, _ in inputs),
        by_frame={
            frame: round(_of_frame(frame, [calls for calls, _ in inputs], is_program=is_program))
            for frame in sorted(frames)
        },
        is_program=is_program,
    )


def _of_frame(frame: int, inputs: Sequence[Sequence[_Call]], *, is_program: bool) -> float:
    """The mean over the inputs of the median of a frame's time."""
    medians = []
    for calls in inputs:
        times = [call.by_frame[frame] for call in calls if frame in call.by_frame]
        if not is_program:
            times += [0] * (len(calls) - len(times))
        if times:
            medians.append(statistics.median(times))
    return statistics.mean(medians)


def _mean(
    inputs: Sequence[tuple[Sequence[_Call], int | None]],
    of: Callable[[_Call], int],
    middle: Callable[[Iterable[int]], float] = statistics.median,
) -> float:
    """The mean over the inputs of the median of each input's calls."""
    return statistics.mean(middle(map(of, calls)) for calls, _ in inputs)


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
            yield from _entries(thread.marks, profile.mark_ns)


def _entries(marks: Sequence[Mark], mark_ns: int) -> Iterator[_Call]:
    """Each look into the cache with the compiled code behind it."""
    for one, other in itertools.pairwise(marks):
        if one.kind is MarkKind.LOOKUP and other.kind is MarkKind.REGION:
            yield _call((one, other), other.end_ns - one.start_ns, mark_ns)


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
    """The looks into the cache, each with the frame whose code runs behind it."""
    waiting: list[Sequence[Mark]] = [marks]
    while waiting:
        level = waiting.pop()
        for number, mark in enumerate(level):
            if mark.inner:
                waiting.append(mark.inner)
            if mark.kind is not MarkKind.LOOKUP:
                continue
            behind = level[number + 1] if number + 1 < len(level) else None
            is_entered = behind is not None and behind.kind is MarkKind.REGION
            frame = _frame(behind.label) if behind and is_entered else None
            yield max(0, mark.end_ns - mark.start_ns - mark_ns), frame


def _frame(label: str) -> int | None:
    """The frame's number in a compile id (``1/0``, ``!2/1/0``)."""
    number = label.rpartition("/")[0].rpartition("/")[2]
    return int(number) if number.isdecimal() else None
