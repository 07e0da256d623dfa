"""The report on a cold start as GitHub-flavoured Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from inspector.findings.cold_start import (
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
from inspector.findings.overview import recording_line
from inspector.findings.wording import duration, failure
from inspector.model.cold_start import Change
from inspector.renderers.markdown.finding import finding_lines
from inspector.renderers.markdown.markup import cell, code, fenced, prose

_MOST_ROWS = 30


def render(report: ColdStartReport, stream: TextIO) -> None:
    """Writes a report. Recorded text is escaped: it cannot become markup, HTML or a mention."""
    stream.write("\n".join(_lines(report)).rstrip("\n") + "\n")


def _lines(report: ColdStartReport) -> Iterator[str]:
    target = report.run.meta.target
    yield f"# Cold start: {code(target)}" if target else "# Cold start"
    yield ""
    yield prose(" · ".join(recording_line(report.run)))
    yield ""
    if report.run.meta.partial:
        yield "> [!WARNING]"
        yield f"> Partial recording: {prose(report.run.meta.partial)}"
        yield ""
    if report.run.meta.error:
        yield "> [!CAUTION]"
        yield f"> {failure(report.run.meta).capitalize()}: {prose(report.run.meta.error)}"
        yield ""
    yield f"**{prose(cold_headline(report))}**"
    yield ""
    yield from _times("stage", stage_rows(report.cold_start))
    yield from _times("compilation", compilation_rows(report))
    yield from _times("function", place_rows(report))
    yield from _times("line that called it", line_rows(report))
    yield from _times("Dynamo by line, without the backend", traced_rows(report))
    yield from _caches(report)
    if report.against:
        yield from _changed(report.against)
    for number, finding in enumerate(report.report.findings, 1):
        if number == 1:
            yield "## Findings"
            yield ""
        yield from finding_lines(number, finding)
    yield "## What to know about this recording"
    yield ""
    yield from (f"- {prose(text)}" for text in cold_notes(report))
    yield from (f"- {kind}: {prose(text)}" for kind, text in cold_notices(report))


def _times(title: str, rows: Sequence[TimeRow]) -> Iterator[str]:
    if not rows:
        return
    has_details = any(row.detail for row in rows)
    yield f"| {title} | time | share |" + (" |" if has_details else "")
    yield "|:--|--:|--:|" + (":--|" if has_details else "")
    for row in rows[:_MOST_ROWS]:
        line = f"| {cell(row.name)} | {duration(row.time_ns)} | {cell(row.share)} |"
        yield line + (f" {cell(row.detail)} |" if has_details else "")
    yield ""
    if len(rows) > _MOST_ROWS:
        yield f"… {len(rows) - _MOST_ROWS:,} more in the JSON report"
        yield ""


def _caches(report: ColdStartReport) -> Iterator[str]:
    rows = list(cache_rows(report.cold_start))
    if not rows:
        yield "Torch logged nothing about its caches."
        yield ""
        return
    yield "| cache | hits | misses | bypasses | |"
    yield "|:--|--:|--:|--:|:--|"
    yield from ("| " + " | ".join(map(cell, row)) + " |" for row in rows)
    yield ""


def _changed(against: Against) -> Iterator[str]:
    yield f"## Keys of the caches against {code(against.name)}"
    yield ""
    groups = list(grouped_changes(against))
    if not groups:
        yield "No graph missed in a cache in both, or in one and not the other."
        yield ""
    for members, first in groups:
        yield f"**{prose(change_title(members))}**"
        yield ""
        if first.changes:
            yield from fenced("\n".join(_diff(first.changes)), "diff")


def _diff(changes: Sequence[Change]) -> Iterator[str]:
    for change in changes:
        opaque = " (torch does not print it readably)" if change.opaque else ""
        yield f"  {change.what}{opaque}"
        yield from (f"- {line}" for line in change.before)
        yield from (f"+ {line}" for line in change.now)
