"""Compile time of a run by stage, compilation, code object and user's line; use of its caches."""

import collections
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from inspector.run.compile_time import (
    CacheUse,
    ColdStart,
    CompilationTime,
    LineTime,
    PlaceTime,
    Reason,
    StageTime,
)
from inspector.run.run import Run
from inspector.shared.stack import StackFrame
from inspector.trace.caches import CACHES, CacheLookup, CacheState

_Place: TypeAlias = tuple[str, int, str]
# What torch logs of these is what was made, never what was found.
_HITS_UNKNOWN = frozenset({"C++"})
LEAST_NS = 1_000_000_000
"""A start that takes less is nobody's concern."""
LEAST_SHARE = 0.5


def cold_start(run: Run) -> ColdStart:
    """Where the compile time of a run went, over all of its processes."""
    compilations = tuple(
        dataclasses.replace(time, process=index)
        for index, process in enumerate(run.processes)
        for time in process.compile_times
    )
    lookups = [item for process in run.processes for item in process.lookups]
    traced: collections.Counter[_Place] = collections.Counter()
    for process in run.processes:
        for item in process.traced_lines:
            traced[item.file, item.line, item.name] += item.time_ns
    return ColdStart(
        time_ns=sum(process.compile_time_ns for process in run.processes),
        stages=summed(stage for process in run.processes for stage in process.stages),
        compilations=compilations,
        frames=_places(compilations, lambda time: (time.file, time.first_line, time.name)),
        lines=_places(
            compilations,
            lambda time: (
                (time.user.file, time.user.line, time.user.name)
                if time.user
                else (time.file, time.first_line, time.name)
            ),
        ),
        caches=_caches([item for item in lookups if not _is_check(item)]),
        vector_checks=sum(map(_is_check, lookups)),
        logging_ns=sum(process.logging_ns for process in run.processes),
        traced_lines=tuple(LineTime(*place, time_ns) for place, time_ns in traced.most_common()),
    )


def summed(stages: Iterable[StageTime]) -> tuple[StageTime, ...]:
    """Times of the same stage as one, the longest first."""
    totals: collections.Counter[str] = collections.Counter()
    for stage in stages:
        totals[stage.stage] += stage.time_ns
    return tuple(StageTime(stage, time_ns) for stage, time_ns in totals.most_common())


def most_ns(cold: ColdStart, *stages: str) -> int:
    """The time of some stages where a start is long, and they are half of it; else 0."""
    spent_ns = sum(stage.time_ns for stage in cold.stages if stage.stage in stages)
    is_most = cold.time_ns >= LEAST_NS and spent_ns >= LEAST_SHARE * cold.time_ns
    return spent_ns if is_most else 0


def most_of(cold: ColdStart, stages: Sequence[str]) -> StackFrame | None:
    """The definition of the code object that most of the time of some stages is spent on."""
    named = [item for item in cold.frames if item.file]
    longest = max(
        named,
        key=lambda item: sum(s.time_ns for s in item.stages if s.stage in stages),
        default=None,
    )
    return StackFrame(longest.file, longest.line, longest.name) if longest else None


def _places(
    compilations: Sequence[CompilationTime], place_of: Callable[[CompilationTime], _Place]
) -> tuple[PlaceTime, ...]:
    groups: dict[_Place, list[CompilationTime]] = {}
    for item in compilations:
        groups.setdefault(place_of(item), []).append(item)
    places = [
        PlaceTime(
            *place,
            len({(i.process, i.compile_id, i.occurrence) for i in found if i.compile_id}),
            summed(stage for item in found for stage in item.stages),
            tuple(sorted({item.process for item in found})),
        )
        for place, found in groups.items()
    ]
    return tuple(sorted(places, key=lambda item: -item.time_ns))


def _is_check(item: CacheLookup) -> bool:
    """Whether a file was compiled to see what the C++ compiler can do: no kernel was looked for."""
    return item.cache == "C++" and bool(item.what)


def _caches(lookups: Sequence[CacheLookup]) -> tuple[CacheUse, ...]:
    groups: dict[str, list[CacheLookup]] = {}
    for item in lookups:
        groups.setdefault(item.cache, []).append(item)
    return tuple(_use(cache, groups[cache]) for cache in CACHES if cache in groups)


def _use(cache: str, lookups: Sequence[CacheLookup]) -> CacheUse:
    states = collections.Counter(item.state for item in lookups)
    hits = [item for item in lookups if item.state is CacheState.HIT]
    reasons: dict[tuple[str, str], list[str]] = {}
    for item in lookups:
        if item.state is CacheState.BYPASS:
            text = item.reason or "torch reports no reason"
            reasons.setdefault((text, item.exception), []).append(item.compile_id)
    return CacheUse(
        cache=cache,
        hits=None if cache in _HITS_UNKNOWN else len(hits),
        misses=states[CacheState.MISS],
        bypasses=states[CacheState.BYPASS],
        guard_misses=sum(item.detail == "guard_miss" for item in lookups),
        saved_ns=sum(item.time_saved_ns or 0 for item in hits),
        reasons=tuple(
            Reason(text, exception, len(ids), tuple(dict.fromkeys(filter(None, ids))))
            for (text, exception), ids in reasons.items()
        ),
    )
