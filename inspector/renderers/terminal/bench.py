"""A bench for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from inspector.benches.rows import BenchRow
from inspector.benches.varied import VariedSetting
from inspector.findings.bench_changes import change_lines, comparison_title
from inspector.findings.bench_report import BenchGroup, BenchReport
from inspector.findings.bench_verdict import verdict_lines
from inspector.findings.bench_wording import (
    COLUMNS,
    cells,
    details,
    failed_title,
    group_title,
    head_text,
)
from inspector.findings.varied_wording import (
    VARIED_COLUMNS,
    varied_cells,
    varied_totals,
    varied_verdict,
)
from inspector.renderers.terminal.page import Page
from inspector.renderers.terminal.summary import error_lines

_GAP = "  "


def add_bench(page: Page, report: BenchReport) -> None:
    """Adds the blocks of a report, the verdicts first in each."""
    page.add(page.wrapped(page.safe(head_text(report), "dim")))
    several = len({group.input for group in report.groups}) > 1
    if report.varied:
        page.add(_verdict_of_varied(page, report))
        for setting in report.varied:
            page.add(_varied(page, setting))
    else:
        for group in report.groups:
            page.add(_group(page, group, several=several))
    page.add(_comparison(page, report))
    page.add(_failed(page, report))
    page.add(error_lines(page, report.run.meta))
    page.add(_notices(page, report))


def _group(page: Page, group: BenchGroup, *, several: bool) -> Iterator[Text]:
    yield from page.wrapped(page.safe(group_title(group, several=several), "bold underline"))
    for line in verdict_lines(group):
        yield from page.wrapped(page.safe(f"{line}.", "bold"), "", _GAP)
    yield Text()
    table = [COLUMNS, *map(cells, group.rows)]
    widths = [max(cell_len(row[at]) for row in table) for at in range(len(COLUMNS))]
    is_narrow = sum(widths) + len(_GAP) * len(widths) > page.width
    styles = ["dim", *(_style(row, group) for row in group.rows)]
    for at, (texts, style) in enumerate(zip(table, styles, strict=True)):
        if is_narrow:  # the label on a line of its own: no column may be lost
            yield page.cropped(page.safe(f"{_GAP}{texts[0]}", style))
            yield page.cropped(_line(page, ("", *texts[1:]), [0, *widths[1:]], style))
        else:
            yield page.cropped(_line(page, texts, widths, style))
        detail = details(group.rows[at - 1]) if at else ""
        if detail:
            yield from page.wrapped(page.safe(detail, "dim"), _GAP * 2, _GAP * 3)


def _verdict_of_varied(page: Page, report: BenchReport) -> Iterator[Text]:
    for line in varied_verdict(report.varied):
        yield from page.wrapped(page.safe(f"{line}.", "bold"), "", _GAP)


def _varied(page: Page, found: VariedSetting) -> Iterator[Text]:
    yield from page.wrapped(page.safe(found.setting.label, "bold underline"))
    table = [VARIED_COLUMNS, *map(varied_cells, found.inputs)]
    widths = [max(cell_len(row[at]) for row in table) for at in range(len(VARIED_COLUMNS) - 1)]
    for number, cells_ in enumerate(table):
        line = _line(page, cells_[:-1], widths, "" if number else "dim")
        yield from page.wrapped(line.append(_GAP).append_text(page.safe(cells_[-1])), "", _GAP * 4)
    yield from page.wrapped(page.safe(varied_totals(found)), _GAP, _GAP * 2)


def _line(page: Page, texts: Sequence[str], widths: Sequence[int], style: str) -> Text:
    """A line of the table: the first cell to the left, the others to the right."""
    line = Text(_GAP, style)
    line.append_text(page.safe(texts[0]))
    line.append(" " * (widths[0] - cell_len(texts[0])))
    for text, width in zip(texts[1:], widths[1:], strict=True):
        line.append(_GAP + " " * (width - cell_len(text)))
        line.append_text(page.safe(text))
    return line


def _style(row: BenchRow, group: BenchGroup) -> str:
    if row.is_wrong or row.latency is None:
        return "red"
    return "green" if row is group.choice.latency else ""


def _comparison(page: Page, report: BenchReport) -> Iterator[Text]:
    if report.comparison is None:
        return
    yield from page.wrapped(page.safe(comparison_title(report.comparison), "bold"), "", _GAP)
    for line, worse in change_lines(report.comparison):
        style = {True: "red", False: "green", None: ""}[worse]
        yield from page.wrapped(page.safe(line, style), _GAP, _GAP * 2)


def _failed(page: Page, report: BenchReport) -> Iterator[Text]:
    shown = set()
    for row in report.rows:
        if row.detail and row.detail not in shown:
            shown.add(row.detail)
            yield from page.wrapped(page.safe(f"{failed_title(row, report)}:", "red"))
            yield from page.verbatim(row.detail, _GAP)


def _notices(page: Page, report: BenchReport) -> Iterator[Text]:
    for notice in report.notices:
        label = Text("note: ", style="dim")
        yield from page.wrapped(label.append_text(page.safe(notice)), further=_GAP)
