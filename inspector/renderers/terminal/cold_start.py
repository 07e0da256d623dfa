"""The report on a cold start for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from rich.cells import cell_len
from rich.text import Text

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
from inspector.findings.escaping import escaped, one_line
from inspector.findings.overview import recording_line
from inspector.findings.wording import duration
from inspector.model.cold_start import Change
from inspector.renderers.terminal.bars import bar
from inspector.renderers.terminal.finding import finding_lines
from inspector.renderers.terminal.page import Page
from inspector.renderers.terminal.summary import error_lines

_GAP = "  "
_BAR_WIDTH = 32
_MOST_ROWS = 12
_MOST_NOTICES = 10
_MOST_CHANGES = 20
_NUMBERS = 8


def render(report: ColdStartReport, stream: TextIO) -> None:
    """Writes a report on a cold start; widths and colours as in the report of explain."""
    page = Page(stream)
    page.add(_begin(page, report))
    page.add(error_lines(page, report.run.meta))
    page.add(_stages(page, report))
    page.add(_times(page, "by compilation", compilation_rows(report)))
    page.add(_times(page, "by function", place_rows(report)))
    page.add(_times(page, "by line that called it", line_rows(report)))
    page.add(_times(page, "Dynamo by line, without the backend", traced_rows(report)))
    page.add(_caches(page, report))
    if report.against:
        page.add(_changed(page, report.against))
    for finding in report.report.findings:
        page.add(finding_lines(page, finding))
    page.add(_notes(page, report))
    page.write()


def _begin(page: Page, report: ColdStartReport) -> Iterator[Text]:
    line = " · ".join(recording_line(report.run))
    yield from page.wrapped(Text(line, style="dim"))
    partial = report.run.meta.partial
    if partial:
        text = f"partial recording: {partial.rstrip('.')}. What was recorded until then follows."
        yield from page.wrapped(page.safe(text, "bold yellow"))


def _stages(page: Page, report: ColdStartReport) -> Iterator[Text]:
    rows = stage_rows(report.cold_start)
    yield from page.wrapped(Text(cold_headline(report), style="bold"))
    if not rows:
        return
    width = max(cell_len(row.name) for row in rows)
    longest = max(row.time_ns for row in rows)
    room = min(_BAR_WIDTH, page.width - width - 2 * _NUMBERS - 4 * len(_GAP))
    yield Text()
    for row in rows:
        line = Text(_GAP + row.name.ljust(width) + _numbers(row) + _GAP)
        yield line.append(bar(row.time_ns, longest, room), style="blue")


def _numbers(row: TimeRow) -> str:
    return f"{_GAP}{duration(row.time_ns):>{_NUMBERS}}{row.share:>{_NUMBERS}}"


def _times(page: Page, title: str, rows: Sequence[TimeRow]) -> Iterator[Text]:
    """A row is a line with its numbers, and what it consists of on the lines below."""
    if not rows:
        return
    yield Text(title, style="bold")
    shown = rows[:_MOST_ROWS]
    room = page.width - 2 * _NUMBERS - 2 * len(_GAP)
    width = min(max(cell_len(row.name) for row in shown), room)
    for row in shown:
        if cell_len(row.name) > width:
            yield from page.wrapped(Text(row.name), _GAP, _GAP * 3)
            yield Text(_GAP + " " * width + _numbers(row))
        else:
            yield Text(_GAP + row.name + " " * (width - cell_len(row.name)) + _numbers(row))
        yield from page.wrapped(Text(one_line(row.detail), style="dim"), _GAP * 3)
    if len(rows) > _MOST_ROWS:
        yield Text(f"{_GAP}… {len(rows) - _MOST_ROWS:,} more in the JSON report", style="dim")


def _caches(page: Page, report: ColdStartReport) -> Iterator[Text]:
    rows = list(cache_rows(report.cold_start))
    if not rows:
        yield from page.wrapped(Text("torch logged nothing about its caches", style="bold"))
        return
    titles = ("caches", "hits", "misses", "bypasses", "")
    table = [titles, *((_GAP + row[0], *row[1:]) for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    for index, row in enumerate(table):
        yield _row(row, widths, "" if index else "bold")
        if row[4]:
            yield from page.wrapped(Text(row[4], style="dim"), _GAP * 3)


def _row(cells: Sequence[str], widths: Sequence[int], style: str = "") -> Text:
    name, *numbers = cells[:4]
    text = name + " " * (widths[0] - cell_len(name))
    for cell, width in zip(numbers, widths[1:4], strict=True):
        text += _GAP + cell.rjust(width)
    return Text(text, style)


def _changed(page: Page, against: Against) -> Iterator[Text]:
    """The changed parts of the keys, the changed lines alone."""
    yield from page.wrapped(Text(f"keys of the caches against {one_line(against.name)}", "bold"))
    groups = list(grouped_changes(against))
    if not groups:
        yield Text(f"{_GAP}no graph missed in a cache in both, or in one and not the other")
    for members, first in groups:
        yield from page.wrapped(Text(change_title(members)), _GAP, _GAP * 2)
        for change in first.changes[:_MOST_CHANGES]:
            yield from _change(page, change)
        if len(first.changes) > _MOST_CHANGES:
            more = len(first.changes) - _MOST_CHANGES
            yield Text(f"{_GAP * 2}… {more:,} more parts in the JSON report", style="dim")


def _change(page: Page, change: Change) -> Iterator[Text]:
    opaque = " (torch does not print it readably)" if change.opaque else ""
    yield from page.wrapped(page.safe(change.what + opaque, "bold"), _GAP * 2, _GAP * 3)
    for sign, lines, style in (("-", change.before, "red"), ("+", change.now, "green")):
        for line in lines:
            text = Text(escaped(line).replace("\n", " "), style=style)
            yield from page.wrapped(text, f"{_GAP * 3}{sign} ")


def _notes(page: Page, report: ColdStartReport) -> Iterator[Text]:
    found = [("note", text) for text in cold_notes(report)] + list(cold_notices(report))
    for kind, text in found[:_MOST_NOTICES]:
        label = Text(f"{kind}: ", style="dim" if kind == "note" else "yellow")
        yield from page.wrapped(label.append(one_line(text), style="not bold"), further=_GAP)
    for step in report.report.next_steps:
        yield Text("next: ", style="bold").append(one_line(step), style="cyan")
