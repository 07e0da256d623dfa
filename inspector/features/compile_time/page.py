"""The page on a cold start."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from inspector.features.compile_time.report import (
    Against,
    ColdStartReport,
    TimeRow,
    cache_rows,
    change_title,
    cold_headline,
    cold_notes,
    cold_notices,
    compilation_rows,
    grouped_changes,
    line_rows,
    place_rows,
    stage_rows,
    traced_rows,
)
from inspector.report.page import Block, Code, Column, Lines, Page, Section, Table, about, as_notes
from inspector.report.wording import duration
from inspector.run.compile_time import Change

_MOST_ROWS = 12
_MOST_COMPILATIONS = 4
_CACHES = (
    Column("cache"),
    *(Column(title, "number") for title in ("hits", "misses", "bypasses")),
    Column("", "below"),
)


def page(report: ColdStartReport) -> Page:
    """Where compile time went, and what the caches had."""
    caches = [Table(_CACHES, list(cache_rows(report.cold_start)), "cache", _MOST_ROWS)]
    unknown = [Lines(["torch logged no cache lookups"])]
    return Page(
        "Cold start",
        cold_headline(report),
        about(report.run),
        findings=report.report.findings,
        sections=(
            _times("stage", "By stage", stage_rows(report.cold_start), is_chart=True),
            _times("compilation", "By compilation", compilation_rows(report)),
            *(
                dataclasses.replace(section, is_detail=True)
                for section in (
                    _times("function", "By function", place_rows(report)),
                    _times("line", "By line that called it", line_rows(report)),
                    _times("line", "Dynamo by line, without the backend", traced_rows(report)),
                )
            ),
            Section("Caches", caches if caches[0].rows else unknown),
            *([_changed(report.against)] if report.against else []),
        ),
        notes=(*as_notes(cold_notes(report)), *cold_notices(report)),
        next_steps=report.report.next_steps,
    )


def _times(noun: str, title: str, rows: Sequence[TimeRow], *, is_chart: bool = False) -> Section:
    columns = (
        Column(noun),
        Column("time", "number"),
        Column("share", "number"),
        Column("", "bar" if is_chart else "below"),
    )
    cells = [
        (row.name, duration(row.time_ns), row.share, row.time_ns if is_chart else row.detail)
        for row in rows
    ]
    limit = _MOST_ROWS if is_chart else _MOST_COMPILATIONS
    return Section(title, [Table(columns, cells, noun, limit)])


def _changed(against: Against) -> Section:
    """The changed parts of the keys of caches."""
    blocks: list[Block] = []
    for members, first in grouped_changes(against):
        blocks.append(Lines([change_title(members)]))
        if first.changes:
            text = "\n".join(line for change in first.changes for line in _diff(change))
            blocks.append(Code(text, "diff"))
    none = Lines(["no cache misses to compare"])
    return Section(f"Keys of the caches against {against.name}", blocks or [none])


def _diff(change: Change) -> Iterator[str]:
    opaque = " (not readable)" if change.opaque else ""
    yield f"  {change.what}{opaque}"
    for sign, lines in (("-", change.before), ("+", change.now)):
        for line in lines:
            yield f"{sign} " + line.replace("\n", " ")
