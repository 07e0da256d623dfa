"""A warm-up for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from inspector.findings.overview import recording_line
from inspector.findings.warmup_report import WarmupReport
from inspector.findings.warmup_wording import (
    check_lines,
    plan_cells,
    plan_title,
    start_columns,
    start_rows,
    warmup_machine,
    warmup_notices,
    warmup_verdict,
)
from inspector.renderers.terminal.page import Page
from inspector.renderers.terminal.summary import error_lines

_GAP = "  "
_LEAST_NAME = 24
_STRONG = frozenset({"first calls", "all were called"})


def add_warmup(page: Page, report: WarmupReport) -> None:
    """Adds the blocks of a report, the verdict first."""
    line = " · ".join(filter(None, (*recording_line(report.run), warmup_machine(report))))
    page.add(page.wrapped(page.safe(line, "dim")))
    page.add(_verdict(page, report))
    page.add(_starts(page, report))
    page.add(_plan(page, report))
    page.add(_failed(page, report))
    page.add(error_lines(page, report.run.meta))
    page.add(_notices(page, report))


def _verdict(page: Page, report: WarmupReport) -> Iterator[Text]:
    for said in warmup_verdict(report):
        yield from page.wrapped(page.safe(f"{said}.", "bold"), "", _GAP)


def _starts(page: Page, report: WarmupReport) -> Iterator[Text]:
    table = [start_columns(report), *start_rows(report)]
    widths = [max(cell_len(row[at]) for row in table) for at in range(len(table[0]))]
    # Names of inputs can be long, and figures are worth more.
    room = page.width - len(_GAP) - sum(len(_GAP) + width for width in widths[1:])
    widths[0] = min(widths[0], max(_LEAST_NAME, room))
    for number, row in enumerate(table):
        is_part = row[0].startswith(_GAP)
        style = "dim" if not number or is_part else ("bold" if row[0] in _STRONG else "")
        yield page.cropped(_line(page, row, widths, style))


def _line(page: Page, texts: Sequence[str], widths: Sequence[int], style: str) -> Text:
    """A line of the table: the first cell to the left, the others to the right."""
    name = texts[0].lstrip()
    indentation = " " * (len(texts[0]) - len(name))
    first = page.safe(name)
    first.truncate(widths[0] - len(indentation), overflow="ellipsis", pad=True)
    line = Text(_GAP + indentation, style).append_text(first)
    for text, width in zip(texts[1:], widths[1:], strict=True):
        line.append(_GAP + " " * (width - cell_len(text)))
        line.append_text(page.safe(text))
    return line


def _plan(page: Page, report: WarmupReport) -> Iterator[Text]:
    if report.start("cold") is None:
        return
    yield from page.wrapped(page.safe(plan_title(report), "bold underline"))
    for number, label, shapes in plan_cells(report):
        yield from page.wrapped(page.safe(f"{number}. {label}: {shapes}"), _GAP, _GAP * 3)
    for line in check_lines(report):
        yield from page.wrapped(page.safe(f"{line}."), _GAP, _GAP * 2)


def _failed(page: Page, report: WarmupReport) -> Iterator[Text]:
    for start in report.starts:
        if start.detail:
            yield from page.wrapped(page.safe(f"{start.name} failed:", "red"))
            yield from page.verbatim(start.detail, _GAP)


def _notices(page: Page, report: WarmupReport) -> Iterator[Text]:
    for notice in warmup_notices(report):
        label = Text("note: ", style="dim")
        yield from page.wrapped(label.append_text(page.safe(notice)), further=_GAP)
