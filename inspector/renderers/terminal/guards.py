"""A report on guards for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from rich.cells import cell_len
from rich.text import Text

from inspector.findings.guards_report import FrameRow, GuardsReport
from inspector.findings.guards_wording import (
    cause_line,
    change_text,
    frame_line,
    group_line,
    guards_headline,
    kinds_line,
    subtree_line,
    subtrees_title,
    time_lines,
)
from inspector.findings.overview import recording_line
from inspector.findings.wording import count
from inspector.renderers.terminal.finding import finding_lines
from inspector.renderers.terminal.page import Page
from inspector.renderers.terminal.summary import error_lines

_GAP = "  "
_MOST_ROWS = 8
# Of the first frame, and of each further one.
_MOST_CHANGES = (8, 3)
_MOST_FRAMES = 6
_LONGEST_NAME = 0.55


def add_guards(page: Page, report: GuardsReport) -> None:
    """Adds the blocks of a report."""
    line = " · ".join(recording_line(report.run))
    page.add(page.wrapped(Text(line, style="dim")))
    if report.run.meta.partial:
        partial = f"partial recording: {report.run.meta.partial.rstrip('.')}"
        page.add(page.wrapped(page.safe(partial, "bold yellow")))
    for finding in report.findings:
        page.add(finding_lines(page, finding))
    page.add(page.wrapped(Text(guards_headline(report), style="bold")))
    page.add(_next(page, report.frames))
    page.add(_section(page, "What it costs", _cost(page, report)))
    page.add(_table(page, "By module", map(group_line, report.groups), "module"))
    own = [cause for cause in report.causes if cause.is_user]
    page.add(_table(page, "By the line that caused them", map(cause_line, own), "line"))
    page.add(error_lines(page, report.run.meta))
    page.add(_notices(page, report))


def _section(page: Page, title: str, lines: Iterable[Text]) -> Iterator[Text]:
    body = list(lines)
    if body:
        yield from page.wrapped(Text(title, style="bold underline"))
        yield from body


def _next(page: Page, frames: Sequence[FrameRow]) -> Iterator[Text]:
    """What recompiles next, frame by frame."""
    told = [row for row in frames if row.next_changes or row.is_skipped]
    shown = told[:_MOST_FRAMES]
    if not shown:
        return
    yield from page.wrapped(
        Text("What recompiles next, the most likely first", style="bold underline")
    )
    for number, row in enumerate(shown):
        most = _MOST_CHANGES[min(number, 1)]
        # The state of the thread is the same for all frames, and told once.
        changes = [item for item in row.next_changes if item.source or not number]
        yield from page.wrapped(Text(frame_line(row), style="dim"), _GAP, _GAP * 2)
        for item in changes[:most]:
            mark = "*" if item.changed_before else "-"
            yield from page.wrapped(Text(change_text(item)), f"{_GAP * 2}{mark} ", _GAP * 4)
        more = len(changes) - most
        if more > 0:
            yield Text(f"{_GAP * 2}… {more:,} more in the JSON report", style="dim")
    if len(told) > len(shown):
        others = count(len(told) - len(shown), "more function")
        yield Text(f"{_GAP}… {others} in the JSON report", style="dim")
    if any(item.changed_before for row in shown for item in row.next_changes):
        yield Text(f"{_GAP}* it has changed before", style="dim")


def _cost(page: Page, report: GuardsReport) -> Iterator[Text]:
    for text in time_lines(report):
        yield from page.wrapped(Text(text), _GAP, _GAP * 2)
    if report.subtrees:
        yield from page.wrapped(Text(subtrees_title(report), style="dim"), _GAP)
        yield from _rows(page, [subtree_line(item) for item in report.subtrees])


def _table(
    page: Page, title: str, rows: Iterable[tuple[str, str, str]], noun: str
) -> Iterator[Text]:
    found = list(rows)
    if not found:
        return
    yield from page.wrapped(Text(title, style="bold underline"))
    yield from _rows(page, found[:_MOST_ROWS])
    if len(found) > _MOST_ROWS:
        more = count(len(found) - _MOST_ROWS, f"more {noun}")
        yield Text(f"{_GAP}… {more} in the JSON report", style="dim")


def _rows(page: Page, rows: Sequence[tuple[str, str, str]]) -> Iterator[Text]:
    """A name, a number, and what there is to say, cut off at the width."""
    most = int(page.width * _LONGEST_NAME)
    names = min(max((cell_len(name) for name, _, _ in rows), default=0), most)
    numbers = max((cell_len(number) for _, number, _ in rows), default=0)
    for name, number, detail in islice(rows, None):
        shown = Text(_end_of(name, names))
        shown.truncate(names, pad=True)
        line = Text(_GAP).append_text(shown).append(f"{_GAP}{number:>{numbers}}{_GAP}")
        yield page.cropped(line.append(detail, style="dim"))


def _end_of(name: str, width: int) -> str:
    """A name, cut off at its beginning: its end tells lines and modules apart."""
    if cell_len(name) <= width:
        return name
    while cell_len(name) > max(width - 1, 0):
        name = name[1:]
    return f"…{name}"


def _notices(page: Page, report: GuardsReport) -> Iterator[Text]:
    if report.kinds:
        yield from page.wrapped(Text(kinds_line(report.kinds, 12), style="dim"))
    for notice in report.notices:
        label = Text("note: ", style="dim")
        yield from page.wrapped(label.append_text(page.safe(notice)), further=_GAP)
    for step in report.next_steps:
        yield Text("next: ", style="bold").append_text(page.safe(step, "cyan"))
