"""Timelines of warm calls: what torch marked on each thread, and what lies between."""

from __future__ import annotations

import bisect
import dataclasses
import enum
import operator
import statistics
from collections.abc import Sequence

from inspector.records.timeline import Activity, CallProfile

_MANY_CALLS = 8


class MarkKind(enum.Enum):
    """What torch marks; the names are those of the artifact."""

    CALL = "call"
    LOOKUP = "lookup"
    REGION = "region"
    BYTECODE = "bytecode"
    PROLOGUE = "prologue"
    FUNCTION = "function"
    BACKWARD = "backward"
    GRAPH = "graph"
    EAGER = "eager"


_KINDS = {kind.value: kind for kind in MarkKind}


@dataclasses.dataclass(frozen=True, slots=True)
class Mark:
    """A span that torch marked, with the spans inside of it.

    Attributes:
        kind: A call of the target; a look into Dynamo's cache, which runs the guards; compiled
            bytecode; its part before the graph; AOTAutograd's part before it; the autograd
            function around it; the autograd engine's call of its backward; a graph; or what comes
            behind a break and was left alone.
        label: The compile id of compiled bytecode, the key of a graph, the name of code that was
            left alone, or an empty string.
        start_ns: From the begin of the profile.
        sequence: Autograd's number that a function and its backward share, or -1.
    """

    kind: MarkKind
    label: str
    start_ns: int
    end_ns: int
    sequence: int
    inner: tuple[Mark, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Thread:
    """One thread."""

    marks: tuple[Mark, ...]
    activities: tuple[Activity, ...]

    def between(self, start_ns: int, end_ns: int) -> Sequence[Activity]:
        """The activities of a stretch of time."""
        first, last = (
            bisect.bisect_left(self.activities, time_ns, key=operator.attrgetter("at_ns"))
            for time_ns in (start_ns, end_ns)
        )
        return self.activities[first:last]


def threads_of(profile: CallProfile) -> tuple[Thread, ...]:
    """The threads of a profile, with their spans nested."""
    labels = profile.labels
    found = []
    for thread in profile.threads:
        marks = [
            Mark(_KINDS[item.kind], labels[item.label], item.start_ns, item.end_ns, item.sequence)
            for item in thread.markers
            if item.kind in _KINDS and item.label < len(labels)
        ]
        found.append(Thread(nested(marks), thread.activities))
    return tuple(found)


def warm_ns(profile: CallProfile) -> int | None:
    """`plain_ns`, or None where something was compiled in every call: none was warm then."""
    markers = (marker for thread in profile.threads for marker in thread.markers)
    calls = sum(marker.kind == MarkKind.CALL.value for marker in markers)
    is_cold = calls > 0 and set(profile.compiled) >= set(range(calls))
    return None if is_cold else profile.plain_ns


def _variation(profile: CallProfile) -> float:
    """The slowest of equal calls by the fastest; of many without a tenth at each end."""
    times = sorted(time_ns for time_ns in profile.plain_times_ns if time_ns)
    if len(times) >= _MANY_CALLS:
        cut = max(len(times) // 10, 1)  # one call in ten meets other work on any machine
        times = times[cut:-cut]
    within = times[-1] / times[0] if times else 1.0
    # Calls under the profiler are never the faster ones, unless the machine was busy.
    between = statistics.median(times) / profile.plain_ns if times and profile.plain_ns else 1.0
    return max(within, between)


def call_variation(profiles: Sequence[CallProfile]) -> float:
    """By what factor equal warm calls differ, of the input for which that is the largest."""
    return max((_variation(item) for item in profiles if not item.with_device), default=1.0)


def warm_call_ns(profiles: Sequence[CallProfile]) -> int | None:
    """The mean over the inputs of the time of a warm call without the profiler, or None."""
    known = [(item, time_ns) for item in profiles if (time_ns := warm_ns(item)) is not None]
    host = [time_ns for item, time_ns in known if not item.with_device]
    times = host or [time_ns for _, time_ns in known]
    return round(statistics.mean(times)) if times else None


def nested(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Flat spans as a forest; given by start, and of the same start the longest first."""
    stack: list[tuple[Mark, list[Mark]]] = []
    roots: list[Mark] = []

    def close() -> None:
        mark, inner = stack.pop()
        whole = dataclasses.replace(mark, inner=tuple(inner))
        (stack[-1][1] if stack else roots).append(whole)

    for mark in marks:
        while stack and stack[-1][0].end_ns <= mark.start_ns:
            close()
        stack.append((mark, []))
    while stack:
        close()
    return tuple(roots)
