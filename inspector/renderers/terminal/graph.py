"""A report on graphs for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from inspector.findings.graph_report import FusionRow, GraphReport
from inspector.findings.graph_wording import (
    TIMES,
    apart_lines,
    fusion_headline,
    graph_headline,
    node_columns,
    step_lines,
    traffic_line,
)
from inspector.findings.overview import recording_line
from inspector.findings.wording import count
from inspector.model.graph import Graph
from inspector.renderers.terminal.graph_line import add_line
from inspector.renderers.terminal.graph_operators import add_operators
from inspector.renderers.terminal.page import Page
from inspector.renderers.terminal.summary import error_lines

__all__ = ["add_graphs"]

_GAP = "  "
_MOST_STEPS = 40
_MOST_APART = 8
_MOST_NODES = 40
_MOST_LINES = 2
_WIDEST = 28
_APART = "Not fused, though they share data (with what is read or written twice, at most)"


def add_graphs(page: Page, report: GraphReport) -> None:
    """Adds the blocks of a report."""
    line = " · ".join(recording_line(report.run))
    page.add(page.wrapped(Text(line, style="dim")))
    if report.run.meta.partial:
        partial = f"partial recording: {report.run.meta.partial.rstrip('.')}"
        page.add(page.wrapped(page.safe(partial, "bold yellow")))
    for row in report.rows:
        _add_fusion(page, report, row)
    for graph in report.graphs:
        page.add(_graph(page, graph))
    if report.operators is not None:
        add_operators(page, report.operators)
    if report.around is not None:
        add_line(page, report.around)
    page.add(error_lines(page, report.run.meta))
    page.add(_notices(page, report))


def _add_fusion(page: Page, report: GraphReport, row: FusionRow) -> None:
    head = page.wrapped(page.safe(fusion_headline(row.fusion), "bold underline"))
    page.add([*head, *page.wrapped(Text(traffic_line(row.fusion)))])
    page.add(_steps(page, row))
    page.add(_apart(page, report, row))


def _steps(page: Page, row: FusionRow) -> Iterator[Text]:
    steps = step_lines(row.fusion)
    for step in steps[:_MOST_STEPS]:
        times = f"{step.number}{TIMES} " if step.number > 1 else ""
        yield page.cropped(Text(_GAP + times).append_text(page.safe(step.name, "cyan")))
        yield from page.wrapped(page.safe(step.detail), _GAP * 2, _GAP * 3)
        for place, code in step.lines[:_MOST_LINES]:
            text = Text(_GAP * 2).append_text(page.safe(place)).append(_GAP)
            yield page.cropped(text.append_text(page.safe(code, "dim")))
        if len(step.lines) > _MOST_LINES:
            yield Text(
                f"{_GAP * 2}+{count(len(step.lines) - _MOST_LINES, 'more line')}", style="dim"
            )
    yield from _more(len(steps) - _MOST_STEPS, "kernels")


def _apart(page: Page, report: GraphReport, row: FusionRow) -> Iterator[Text]:
    lines = apart_lines(report, row)
    if lines:
        yield from page.wrapped(Text(_APART, style="bold"))
    told = ""
    for line in lines[:_MOST_APART]:
        title = Text(f"{line.saved}: ", style="yellow").append_text(page.safe(line.title))
        yield from page.wrapped(title, _GAP, _GAP * 3)
        yield from page.wrapped(page.safe(line.reason), _GAP * 2, _GAP * 2)
        if line.change and line.change != told:
            told = line.change
            change = Text("change: ", style="green").append_text(page.safe(line.change))
            yield from page.wrapped(change, _GAP * 2, _GAP * 3)
    yield from _more(len(lines) - _MOST_APART, "pairs")


def _graph(page: Page, graph: Graph) -> Iterator[Text]:
    yield from page.wrapped(page.safe(graph_headline(graph), "bold underline"))
    rows = [node_columns(node) for node in graph.nodes if node.is_compute]
    yield from _table(page, rows[:_MOST_NODES])
    yield from _more(len(rows) - _MOST_NODES, "operators")


def _table(page: Page, rows: Sequence[tuple[str, ...]]) -> Iterator[Text]:
    """Columns as wide as they need, up to a limit; what is too long is cut at its end."""
    cells = [
        [page.safe(text, "" if number else "cyan") for number, text in enumerate(row)]
        for row in rows
    ]
    widths = [
        min(max(cell.cell_len for cell in column), _WIDEST) for column in zip(*cells, strict=True)
    ]
    for row in cells:
        line = Text(_GAP)
        for cell, width in zip(row[:-1], widths[:-1], strict=True):
            cell.truncate(width, overflow="ellipsis", pad=True)
            line.append_text(cell).append(_GAP)
        line.append_text(row[-1]).rstrip()
        yield page.cropped(line)


def _more(number: int, what: str) -> Iterator[Text]:
    if number > 0:
        yield Text(f"{_GAP}… {number:,} more {what} in the JSON report", style="dim")


def _notices(page: Page, report: GraphReport) -> Iterator[Text]:
    for notice in report.notices:
        label = Text("note: ", style="dim")
        yield from page.wrapped(label.append_text(page.safe(notice)), further=_GAP)
    step = ""
    if report.rows:
        step = "inspect graph --stage fusion -o fusion.svg"
    elif report.graphs:
        step = f"inspect graph --stage {report.graphs[0].stage.value} -o graph.svg"
    if step:
        yield Text("next: ", style="bold").append_text(page.safe(step, "cyan"))
