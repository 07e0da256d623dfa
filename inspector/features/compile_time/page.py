"""The page on a cold start."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from inspector.features.compile_time.report import Against, ColdStartReport, cold_notices
from inspector.report.escaping import one_line
from inspector.report.page import Block, Code, Column, Lines, Page, Section, Table, about
from inspector.report.place import qualified_name
from inspector.report.processes import labels
from inspector.report.wording import count, duration, listed
from inspector.run.compile_time import (
    CacheUse,
    CompilationTime,
    KeyChange,
    KeyVerdict,
    PlaceTime,
    StageTime,
)
from inspector.run.run import Run
from inspector.shared.stack import shown_name
from inspector.trace.caches import CacheLookup

_MOST_ROWS = 12
_MOST_COMPILATIONS = 4
_MOST_STAGES = 3
_MOST_NAMED = 4
_SLIGHT = 0.005
_CACHES = (
    Column("cache"),
    *(Column(title, "number") for title in ("hits", "misses", "bypasses")),
    Column("", "below"),
)
_VERDICTS = {
    KeyVerdict.SAME: "same key",
    KeyVerdict.UNKNOWN: "different key; torch did not log its parts",
    KeyVerdict.HIDDEN: "different key, although all logged parts are equal",
}
# What takes time, how long in ns, and what else there is to say.
_Time: TypeAlias = tuple[str, int, str]


def page(report: ColdStartReport) -> Page:
    """Where compile time went, and what the caches had."""
    cold = report.cold_start
    caches = [_cache(use) for use in cold.caches]
    stages = [(one_line(item.stage), item.time_ns, "") for item in cold.stages]
    traced_ns = sum(item.time_ns for item in cold.traced_lines)
    places = {(item.file, item.line) for item in cold.frames}
    lines = [] if places == {(item.file, item.line) for item in cold.lines} else cold.lines
    return Page(
        "Cold start",
        _headline(report),
        about(report.run),
        findings=report.report.findings,
        sections=(
            *([_changed(report.against)] if report.against else []),
            _times("stage", "By stage", stages, cold.time_ns, is_chart=True),
            _times("compilation", "By compilation", _compilations(report), cold.time_ns),
            *(
                dataclasses.replace(_times(*what), is_detail=True)
                for what in (
                    ("function", "By function", _places(report, cold.frames), cold.time_ns),
                    ("line", "By call site", _places(report, lines), cold.time_ns),
                    (
                        "line",
                        "Dynamo time by line (excluding the backend)",
                        _traced(report),
                        traced_ns,
                    ),
                )
            ),
            Section(
                "Caches",
                [Table(_CACHES, caches, "cache", _MOST_ROWS)]
                if caches
                else [Lines(["torch logged no cache lookups"])],
            ),
        ),
        notes=list(cold_notices(report)),
        next_steps=report.report.next_steps,
    )


def _headline(report: ColdStartReport) -> str:
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
    behind = f", and {count(rest, 'attempt')} blocked by the recompile limit" if rest else ""
    return f"compile time {duration(cold.time_ns)}{over}: {times}{behind}"


def _times(
    noun: str, title: str, rows: Iterable[_Time], total_ns: int, *, is_chart: bool = False
) -> Section:
    columns = (
        Column(noun),
        Column("time", "number"),
        Column("share", "number"),
        Column("", "bar" if is_chart else "below"),
    )
    cells = [
        (name, duration(time_ns), _share(time_ns, total_ns), time_ns if is_chart else detail)
        for name, time_ns, detail in rows
    ]
    limit = _MOST_ROWS if is_chart else _MOST_COMPILATIONS
    return Section(title, [Table(columns, cells, noun, limit)])


def _share(time_ns: int, total_ns: int) -> str:
    """``56%``; what is not nothing is never ``0%``."""
    part = time_ns / total_ns if total_ns else 0
    return "< 1%" if 0 < part < _SLIGHT else f"{round(100 * part)}%"


def _compilations(report: ColdStartReport) -> Sequence[_Time]:
    """The compilations, the longest first, with what the caches had for each."""
    run = report.run
    named = labels(run) if len(run.processes) > 1 else ("",) * len(run.processes)
    asked = [_asked(process.lookups) for process in run.processes]
    rows = [
        (
            " ".join(filter(None, (_compilation(run, item), named[item.process]))),
            item.time_ns,
            _joined(_mostly(item.stages), asked[item.process].get(_graph(item), "")),
        )
        for item in report.cold_start.compilations
    ]
    return sorted(rows, key=lambda row: -row[1])


def _compilation(run: Run, time: CompilationTime) -> str:
    if not time.compile_id:
        return _without_id(run)
    name = qualified_name(run, time.name, time.file, time.first_line) if time.name else ""
    backward = "(backward)" if time.is_backward else ""
    again = f"(id reused, {time.occurrence + 1})" if time.occurrence else ""
    return one_line(" ".join(filter(None, (time.compile_id, name, backward, again))))


def _without_id(run: Run) -> str:
    ahead = dict.fromkeys(name for process in run.processes for name in process.ahead)
    return " and ".join(ahead) or "outside any compilation"


def _graph(item: CompilationTime | CacheLookup) -> tuple[str, int, bool]:
    return item.compile_id, item.occurrence, item.is_backward


def _asked(lookups: Sequence[CacheLookup]) -> dict[tuple[str, int, bool], str]:
    """What the caches of graphs had, by compilation."""
    found: dict[tuple[str, int, bool], dict[str, None]] = {}
    for item in lookups:
        if item.cache in {"AOTAutograd", "FX graph"}:
            found.setdefault(_graph(item), {})[f"{item.cache} {item.state.value}"] = None
    return {key: listed(list(texts)) for key, texts in found.items()}


def _places(report: ColdStartReport, places: Iterable[PlaceTime]) -> Iterator[_Time]:
    run = report.run
    for item in places:
        name = qualified_name(run, item.name, item.file, item.line) if item.name else ""
        nowhere = "" if name else _without_id(run)
        place = f"{run.roots.shown(item.file)}:{item.line}" if item.file else nowhere
        is_counted = item.compilations > 1 and places is report.cold_start.frames
        times = count(item.compilations, "compilation") if is_counted else ""
        yield (
            one_line(f"{place} {name}".strip()),
            item.time_ns,
            _joined(times, _mostly(item.stages)),
        )


def _traced(report: ColdStartReport) -> Iterator[_Time]:
    """How long Dynamo traced each line; the shares are of all tracing that was measured."""
    run = report.run
    for item in report.cold_start.traced_lines:
        place = one_line(f"{run.roots.shown(item.file)}:{item.line}")
        code = one_line(run.sources.line(item.file, item.line) or shown_name(item.name))
        yield place, item.time_ns, code


def _mostly(stages: Sequence[StageTime]) -> str:
    longest = sorted(stages, key=lambda stage: -stage.time_ns)[:_MOST_STAGES]
    return ", ".join(f"{stage.stage} {duration(stage.time_ns)}" for stage in longest)


def _joined(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _cache(use: CacheUse) -> tuple[str, str, str, str, str]:
    """Name, hits, misses, bypasses of a cache, and what else there is to say."""
    parts = [
        f"saved {duration(use.saved_ns)}" if use.saved_ns else "",
        f"{use.guard_misses:,} with failed guards" if use.guard_misses else "",
    ]
    for reason in use.reasons:
        times = "once" if reason.count == 1 else f"{reason.count:,} times"
        parts.append(f"bypassed {times}: {reason.text}")
    hits = "not logged" if use.hits is None else f"{use.hits:,}"
    return use.cache, hits, f"{use.misses:,}", f"{use.bypasses:,}", one_line(_joined(*parts))


def _changed(against: Against) -> Section:
    """The changed parts of the keys of caches; of graphs whose keys differ alike, one."""
    groups: dict[tuple[object, ...], list[KeyChange]] = {}
    for item in against.changes:
        key = (item.cache, item.before, item.now, item.verdict, item.changes)
        groups.setdefault(key, []).append(item)
    blocks: list[Block] = []
    for members in groups.values():
        blocks.append(Lines([_change_title(members)]))
        if members[0].changes:
            text = []
            for change in members[0].changes:
                text.append(f"  {change.what}{' (not readable)' if change.opaque else ''}")
                for sign, lines in (("-", change.before), ("+", change.now)):
                    text += [f"{sign} " + line.replace("\n", " ") for line in lines]
            blocks.append(Code("\n".join(text), "diff"))
    none = Lines(["no cache misses to compare"])
    return Section(f"Cache keys compared with {against.name}", blocks or [none])


def _change_title(members: Sequence[KeyChange]) -> str:
    """Which graphs it is about, and what their keys say as a whole."""
    first = members[0]
    graphs = []
    for item in members:
        backward = " (backward)" if item.is_backward else ""
        name = shown_name(item.name) if item.name != item.compile_id else ""
        graphs.append(f"{name} {item.compile_id}{backward}".strip())
    verdict = _VERDICTS.get(
        first.verdict, f"{count(len(first.changes), 'part')} of the key changed"
    )
    if first.verdict is KeyVerdict.SAME and first.now == "miss":
        verdict += "; the entry was evicted, or never stored here"
    states = f"{first.before} before, {first.now} now"
    return one_line(f"{first.cache}, {listed(graphs, _MOST_NAMED)}: {states}; {verdict}")
