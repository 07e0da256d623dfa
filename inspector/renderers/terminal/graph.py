"""A report on graphs for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from inspector.findings.command_line import command_about
from inspector.findings.graph_apart_wording import (
    ApartLine,
    apart_head,
    apart_lines,
    break_lines,
    more_line,
    smaller_line,
)
from inspector.findings.graph_report import FusionRow, GraphReport
from inspector.findings.graph_wording import (
    fusion_headline,
    graph_headline,
    header_parts,
    node_columns,
    step_lines,
    traffic_line,
)
from inspector.findings.wording import count
from inspector.graphs.drawing.options import matches
from inspector.model.graph import Graph
from inspector.renderers.terminal.graph_line import add_line
from inspector.renderers.terminal.graph_operators import add_operators
from inspector.renderers.terminal.page import Page
from inspector.renderers.terminal.summary import error_lines

_GAP = "  "
_MOST_STEPS = 40
_MOST_APART = 8
_MOST_NODES = 40
_MOST_LINES = 2
_WIDEST = 44
_NARROWEST = 16
_WIDEST_LINE = 28
_BROKEN = "In two graphs, though they share data"
_APART = "Not fused, though they share data"


def add_graphs(page: Page, report: GraphReport) -> None:
    """Adds the blocks of a report."""
    line = " · ".join(header_parts(report))
    page.add(page.wrapped(Text(line, style="dim")))
    if report.run.meta.partial:
        partial = f"partial recording: {report.run.meta.partial.rstrip('.')}"
        page.add(page.wrapped(page.safe(partial, "bold yellow")))
    for row in report.rows:
        _add_fusion(page, report, row)
    page.add(_apart(page, list(break_lines(report)), f"{_BROKEN} ({apart_head(report)})"))
    for graph in report.graphs:
        page.add(_graph(page, report, graph))
    if report.operators is not None:
        add_operators(page, report.operators)
    if report.around is not None:
        add_line(page, report.run, report.around)
    page.add(error_lines(page, report.run.meta))
    page.add(_notices(page, report))


def _add_fusion(page: Page, report: GraphReport, row: FusionRow) -> None:
    head = page.wrapped(page.safe(fusion_headline(row.fusion), "bold underline"))
    page.add([*head, *page.wrapped(Text(traffic_line(row.fusion)))])
    page.add(_steps(page, row))
    apart = f"{_APART} ({apart_head(report)})"
    page.add(_apart(page, apart_lines(report, row), apart, smaller_line(row)))


def _steps(page: Page, row: FusionRow) -> Iterator[Text]:
    steps = step_lines(row.fusion)
    for step in steps[:_MOST_STEPS]:
        yield page.cropped(Text(_GAP + step.title).append_text(page.safe(step.name, "cyan")))
        yield from page.wrapped(page.safe(step.detail), _GAP * 2, _GAP * 3)
        for place, code in step.lines[:_MOST_LINES]:
            text = Text(_GAP * 2).append_text(page.safe(place)).append(_GAP)
            yield page.cropped(text.append_text(page.safe(code, "dim")))
        if len(step.lines) > _MOST_LINES:
            yield Text(
                f"{_GAP * 2}+{count(len(step.lines) - _MOST_LINES, 'more line')}", style="dim"
            )
    yield from _more(len(steps) - _MOST_STEPS, "kernel")


def _apart(page: Page, lines: Sequence[ApartLine], head: str, smaller: str = "") -> Iterator[Text]:
    if lines:
        yield from page.wrapped(Text(head, style="bold"))
    told = ""
    for line in lines[:_MOST_APART]:
        title = Text(f"{line.saved}: ", style="yellow").append_text(page.safe(line.title))
        yield from page.wrapped(title, _GAP, _GAP * 3)
        yield from page.wrapped(page.safe(line.reason), _GAP * 2, _GAP * 2)
        if line.change and line.change != told:
            told = line.change
            change = Text("change: ", style="green").append_text(page.safe(line.change))
            yield from page.wrapped(change, _GAP * 2, _GAP * 3)
    if lines[_MOST_APART:]:
        yield Text(f"{_GAP}… {more_line(lines[_MOST_APART:])}", style="dim")
    if smaller:
        yield from page.wrapped(Text(smaller, style="dim"), _GAP if lines else "")


def _graph(page: Page, report: GraphReport, graph: Graph) -> Iterator[Text]:
    yield from page.wrapped(page.safe(graph_headline(graph), "bold underline"))
    nodes = [node for node in graph.nodes if node.is_compute]
    asked = report.part[1] if report.part else None
    rows = [
        ("* " if asked is not None and matches(node, asked) else "", *node_columns(node))
        for node in nodes[:_MOST_NODES]
    ]
    yield from _table(page, rows)
    if any(mark for mark, *_ in rows):
        yield page.cropped(page.safe(f"* what matches {asked}", "dim"))
    yield from _more(len(nodes) - _MOST_NODES, "operator")


def _table(page: Page, rows: Sequence[tuple[str, str, str, str]]) -> Iterator[Text]:
    """Columns as wide as they need; where that is too much, names are cut before shapes are."""
    cells = [tuple(map(page.safe, texts)) for _, *texts in rows]
    widths = [max(cell.cell_len for cell in column) for column in zip(*cells, strict=True)]
    if not widths:
        return
    place = min(widths[1], _WIDEST_LINE)
    left = page.width - sum((len(_GAP) * 3, place, widths[2]))
    name = min(widths[0], max(min(left, _WIDEST), _NARROWEST))
    for (mark, *_), (first, line, gives) in zip(rows, cells, strict=True):
        first.stylize("cyan")
        first.truncate(name, overflow="ellipsis", pad=True)
        line.truncate(place, overflow="ellipsis", pad=True)
        start = Text(mark.ljust(len(_GAP)), style="bold")
        row = start.append_text(first).append(_GAP).append_text(line).append(_GAP)
        row.append_text(gives).rstrip()
        yield page.cropped(row)


def _more(number: int, what: str) -> Iterator[Text]:
    if number > 0:
        yield Text(f"{_GAP}… {count(number, f'more {what}')} in the JSON report", style="dim")


def _notices(page: Page, report: GraphReport) -> Iterator[Text]:
    for notice in report.notices:
        label = Text("note: ", style="dim")
        yield from page.wrapped(label.append_text(page.safe(notice)), further=_GAP)
    step = ""
    if report.rows:
        step = command_about(report.run, "graph", "--stage", "fusion", "-o", "fusion.svg")
    elif report.graphs:
        stage = report.graphs[0].stage.value
        options = ("--stage", stage, *report.part, "-o", "graph.svg")
        step = command_about(report.run, "graph", *options)
    if step:
        yield Text("next: ", style="bold").append_text(page.safe(step, "cyan"))
