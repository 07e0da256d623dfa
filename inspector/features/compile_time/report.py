"""What is said about a cold start, as rows that every renderer shows alike."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from inspector.report.escaping import one_line
from inspector.report.overview import notices
from inspector.report.place import qualified_name
from inspector.report.processes import labels
from inspector.report.report import Report
from inspector.report.wording import count, duration, listed
from inspector.run.compile_time import (
    CacheUse,
    ColdStart,
    CompilationTime,
    KeyChange,
    KeyVerdict,
    PlaceTime,
    StageTime,
)
from inspector.run.run import Run
from inspector.shared.stack import shown_name
from inspector.trace.caches import CacheLookup

_MOST_STAGES = 3
_MOST_NAMED = 4
_SLIGHT = 0.005


@dataclasses.dataclass(frozen=True, slots=True)
class Against:
    """Another recording that this one is compared with.

    Attributes:
        only_here: How many graphs only this recording looked for in a cache.
        only_there: How many only the other one did.
    """

    name: str
    time_ns: int
    changes: tuple[KeyChange, ...]
    only_here: int
    only_there: int


@dataclasses.dataclass(frozen=True, slots=True)
class ColdStartReport:
    """Everything that is said about the cold start of a run."""

    report: Report
    cold_start: ColdStart
    against: Against | None = None

    @property
    def run(self) -> Run:
        """The run."""
        return self.report.run


@dataclasses.dataclass(frozen=True, slots=True)
class TimeRow:
    """A row of a table of times."""

    name: str
    time_ns: int
    share: str
    detail: str = ""


def cold_headline(report: ColdStartReport) -> str:
    """The report in one line."""
    cold, processes = report.cold_start, report.run.processes
    if not cold.time_ns:
        return "torch logged no compile times"
    compiling = sum(bool(process.compile_time_ns) for process in processes)
    over = f" in {compiling} processes" if compiling > 1 else ""
    forward = [item for item in cold.compilations if not item.is_backward]
    ids = {(i.process, str(i.compile_id), i.occurrence) for i in forward}
    refused = {
        (number, str(item.compile_id))
        for number, process in enumerate(processes)
        for frame in process.frames
        for item in frame.compilations
        if item.hit_limit
    }
    made = [key for key in ids if key[:2] not in refused]
    times = count(len(made), "compilation")
    rest = len(ids) - len(made)
    behind = f", and {count(rest, 'attempt')} refused by the recompile limit" if rest else ""
    return f"compile time {duration(cold.time_ns)}{over}: {times}{behind}"


def share(time_ns: int, total_ns: int) -> str:
    """``56%``; what is not nothing is never ``0%``."""
    part = time_ns / total_ns if total_ns else 0
    if 0 < part < _SLIGHT:
        return "< 1%"
    return f"{round(100 * part)}%"


def stage_rows(cold: ColdStart) -> tuple[TimeRow, ...]:
    """Compile time by stage, the longest first."""
    return tuple(
        TimeRow(one_line(stage.stage), stage.time_ns, share(stage.time_ns, cold.time_ns))
        for stage in cold.stages
    )


def compilation_rows(report: ColdStartReport) -> tuple[TimeRow, ...]:
    """Compile time by compilation, the longest first, with what the caches had for it."""
    cold, run = report.cold_start, report.run
    named = labels(run) if len(run.processes) > 1 else ("",) * len(run.processes)
    asked = [_asked(process.lookups) for process in run.processes]
    rows = [
        TimeRow(
            " ".join(filter(None, (_compilation(run, item), named[item.process]))),
            item.time_ns,
            share(item.time_ns, cold.time_ns),
            "; ".join(filter(None, (
                _mostly(item.stages),
                asked[item.process].get(_graph(item), ""),
            ))),
        )
        for item in cold.compilations
    ]  # fmt: skip
    return tuple(sorted(rows, key=lambda row: -row.time_ns))


def place_rows(report: ColdStartReport) -> tuple[TimeRow, ...]:
    """Compile time by code object, the longest first."""
    return tuple(_place_row(report, item, counted=True) for item in report.cold_start.frames)


def line_rows(report: ColdStartReport) -> tuple[TimeRow, ...]:
    """Compile time by user's line; empty where that says the same as by code object."""
    cold = report.cold_start
    if {(item.file, item.line) for item in cold.lines} == {
        (item.file, item.line) for item in cold.frames
    }:
        return ()
    return tuple(_place_row(report, item, counted=False) for item in cold.lines)


def traced_rows(report: ColdStartReport) -> tuple[TimeRow, ...]:
    """How long Dynamo traced each line; the shares are of all tracing that was measured."""
    run, lines = report.run, report.cold_start.traced_lines
    total_ns = sum(item.time_ns for item in lines)
    return tuple(
        TimeRow(
            one_line(f"{run.roots.shown(item.file)}:{item.line}"),
            item.time_ns,
            share(item.time_ns, total_ns),
            one_line(run.sources.line(item.file, item.line) or shown_name(item.name)),
        )
        for item in lines
    )


def cache_rows(cold: ColdStart) -> Iterator[tuple[str, str, str, str, str]]:
    """(cache, hits, misses, bypasses, what else there is to say) of each cache."""
    for use in cold.caches:
        hits = "not logged" if use.hits is None else f"{use.hits:,}"
        yield use.cache, hits, f"{use.misses:,}", f"{use.bypasses:,}", _use(use)


def grouped_changes(against: Against) -> Iterator[tuple[tuple[KeyChange, ...], KeyChange]]:
    """Graphs whose keys differ in the same way, and one of them."""
    groups: dict[tuple[object, ...], list[KeyChange]] = {}
    for item in against.changes:
        key = (item.cache, item.before, item.now, item.verdict, item.changes)
        groups.setdefault(key, []).append(item)
    for members in groups.values():
        yield tuple(members), members[0]


def change_title(members: Sequence[KeyChange]) -> str:
    """Which graphs it is about, and what their keys say as a whole."""
    first = members[0]
    graphs = listed([_of_key(item) for item in members], _MOST_NAMED)
    states = f"{first.before} before, {first.now} now"
    return one_line(f"{first.cache}, {graphs}: {states}; {_verdict(first)}")


def cold_notes(report: ColdStartReport) -> Iterator[str]:
    """What to know about these numbers."""
    cold = report.cold_start
    if any(item.compile_time_ns and not item.has_spans for item in report.run.processes):
        yield "the log has no spans: times are from torch's metrics and exclude backward graphs"
    if cold.logging_ns:
        yield f"{duration(cold.logging_ns)} of this is torch writing the trace"
    backend = str(report.run.meta.settings.get("backend") or "")
    if backend and backend != "inductor":
        yield f"recorded with backend {backend}; Inductor has more stages"
    against = report.against
    if against and against.only_here + against.only_there:
        here, there = count(against.only_here, "graph"), count(against.only_there, "graph")
        yield f"cache lookups of {here} only in this recording, of {there} only in {against.name}"


_UNSEEN = "Dynamo's time by line and the classes of methods are not in it"


def cold_notices(report: ColdStartReport) -> Iterator[tuple[str, str]]:
    """What stands between the recording and the whole truth, as (kind, text) pairs."""
    return notices(report.report, _UNSEEN)


def _compilation(run: Run, time: CompilationTime) -> str:
    if not time.compile_id:
        return _without_id(run)
    name = qualified_name(run, time.name, time.file, time.first_line) if time.name else ""
    backward = "(backward)" if time.is_backward else ""
    again = f"(id used again, {time.occurrence + 1})" if time.occurrence else ""
    return one_line(" ".join(filter(None, (time.compile_id, name, backward, again))))


def _without_id(run: Run) -> str:
    ahead = dict.fromkeys(name for process in run.processes for name in process.ahead)
    return " and ".join(ahead) or "outside of any compilation"


def _of_key(item: KeyChange) -> str:
    backward = " (backward)" if item.is_backward else ""
    name = shown_name(item.name) if item.name != item.compile_id else ""
    return f"{name} {item.compile_id}{backward}".strip()


def _verdict(item: KeyChange) -> str:
    if item.verdict is KeyVerdict.SAME:
        if item.now == "miss":
            return "same key: the entry was evicted, or never stored here"
        return "same key"
    if item.verdict is KeyVerdict.UNKNOWN:
        return "another key; torch did not log its parts"
    if item.verdict is KeyVerdict.HIDDEN:
        return "another key, though all logged parts are equal"
    return f"{count(len(item.changes), 'part')} of the key changed"


def _graph(time: CompilationTime) -> tuple[str, int, bool]:
    return time.compile_id, time.occurrence, time.is_backward


def _asked(lookups: Sequence[CacheLookup]) -> dict[tuple[str, int, bool], str]:
    """What the caches of graphs had, by compilation."""
    found: dict[tuple[str, int, bool], list[str]] = {}
    for item in lookups:
        if item.cache in {"AOTAutograd", "FX graph"}:
            key = (item.compile_id, item.occurrence, item.is_backward)
            found.setdefault(key, []).append(f"{item.cache} {item.state.value}")
    return {key: listed(list(dict.fromkeys(texts))) for key, texts in found.items()}


def _mostly(stages: Sequence[StageTime]) -> str:
    longest = sorted(stages, key=lambda stage: -stage.time_ns)[:_MOST_STAGES]
    return ", ".join(f"{stage.stage} {duration(stage.time_ns)}" for stage in longest)


def _place_row(report: ColdStartReport, item: PlaceTime, *, counted: bool) -> TimeRow:
    roots = report.run.roots
    file = roots.shown(item.file) if item.file else ""
    name = qualified_name(report.run, item.name, item.file, item.line) if item.name else ""
    nowhere = "" if name else _without_id(report.run)
    place = f"{file}:{item.line}" if file else nowhere
    times = count(item.compilations, "compilation") if counted and item.compilations > 1 else ""
    return TimeRow(
        one_line(f"{place} {name}".strip()),
        item.time_ns,
        share(item.time_ns, report.cold_start.time_ns),
        "; ".join(filter(None, (times, _mostly(item.stages)))),
    )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _use(use: CacheUse) -> str:
    parts = [
        f"saved {duration(use.saved_ns)}" if use.saved_ns else "",
        f"{use.guard_misses:,} found with guards that failed" if use.guard_misses else "",
    ]
    parts += [f"bypassed {_times(reason.count)}: {reason.text}" for reason in use.reasons]
    return one_line("; ".join(filter(None, parts)))
