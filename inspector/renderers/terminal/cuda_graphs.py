"""A report on CUDA graphs for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

from inspector.findings.cuda_graphs_report import CudaGraphsReport
from inspector.findings.cuda_graphs_wording import (
    TITLES,
    cuda_graphs_headline,
    row_cells,
    row_detail,
    row_name,
)
from inspector.findings.overview import recording_line
from inspector.renderers.terminal.finding import finding_lines
from inspector.renderers.terminal.page import Page
from inspector.renderers.terminal.summary import error_lines

_GAP = "  "
_MOST_ROWS = 30


def add_cuda_graphs(page: Page, report: CudaGraphsReport) -> None:
    """Adds the blocks of a report."""
    line = " · ".join(recording_line(report.run))
    page.add(page.wrapped(Text(line, style="dim")))
    if report.run.meta.partial:
        partial = f"partial recording: {report.run.meta.partial.rstrip('.')}"
        page.add(page.wrapped(page.safe(partial, "bold yellow")))
    for finding in report.findings:
        page.add(finding_lines(page, finding))
    page.add(page.wrapped(Text(cuda_graphs_headline(report), style="bold")))
    page.add(_table(page, report))
    page.add(error_lines(page, report.run.meta))
    page.add(_notices(page, report))


def _table(page: Page, report: CudaGraphsReport) -> Iterator[Text]:
    rows = [(row_name(row), row_cells(row), row_detail(row)) for row in report.rows]
    if not rows:
        return
    shown = [cells for _, cells, _ in rows] + [TITLES]
    widths = [max(cell_len(cells[column]) for cells in shown) for column in range(len(TITLES))]
    numbers = sum(widths) + len(_GAP) * len(widths)
    names = min(max(cell_len(name) for name, _, _ in rows), max(16, page.width - numbers))
    yield _line("", TITLES, names, widths, "dim")
    for name, cells, detail in rows[:_MOST_ROWS]:
        yield _line(name, cells, names, widths)
        if detail:
            yield from page.wrapped(Text(detail, style="dim"), _GAP, _GAP)
    if len(rows) > _MOST_ROWS:
        more = len(rows) - _MOST_ROWS
        yield Text(f"{_GAP}… {more:,} more in the JSON report", style="dim")


def _line(
    name: str, cells: tuple[str, ...], names: int, widths: list[int], style: str = ""
) -> Text:
    shown = Text(name)
    shown.truncate(names, overflow="ellipsis", pad=True)
    for cell, width in zip(cells, widths, strict=True):
        shown.append(f"{_GAP}{cell:>{width}}")
    shown.stylize(style)
    return shown


def _notices(page: Page, report: CudaGraphsReport) -> Iterator[Text]:
    for notice in report.notices:
        label = Text("note: ", style="dim")
        yield from page.wrapped(label.append_text(page.safe(notice)), further=_GAP)
    for step in report.next_steps:
        yield Text("next: ", style="bold").append_text(page.safe(step, "cyan"))
