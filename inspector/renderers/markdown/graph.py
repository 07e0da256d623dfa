"""A report on graphs as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

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
from inspector.model.graph import Graph
from inspector.renderers.markdown.graph_views import line_lines, operators_lines
from inspector.renderers.markdown.markup import cell, code, prose

__all__ = ["graph_lines"]

_MOST_ROWS = 200


def graph_lines(report: GraphReport) -> Iterator[str]:
    """The lines of a report."""
    target = report.run.meta.target
    yield f"# Graphs of {code(target)}" if target else "# Graphs"
    yield ""
    yield prose(" · ".join(recording_line(report.run)))
    yield ""
    meta = report.run.meta
    if meta.partial:
        yield f"> Partial recording: {prose(meta.partial.rstrip('.'))}."
        yield ""
    if meta.error:
        yield f"> The program failed: {prose(meta.error)}"
        yield ""
    for row in report.rows:
        yield from _fusion(report, row)
    for graph in report.graphs:
        yield from _graph(graph)
    if report.operators is not None:
        yield from operators_lines(report.operators)
    if report.around is not None:
        yield from line_lines(report.around)
    for notice in report.notices:
        yield f"> {prose(notice)}"
        yield ""


def _fusion(report: GraphReport, row: FusionRow) -> Iterator[str]:
    yield f"## {prose(fusion_headline(row.fusion))}"
    yield ""
    yield prose(traffic_line(row.fusion))
    yield ""
    yield "| kernel | | lines |"
    yield "|:--|:--|:--|"
    steps = step_lines(row.fusion)
    for step in steps[:_MOST_ROWS]:
        times = f"{step.number} {TIMES} " if step.number > 1 else ""
        places = ", ".join(place for place, _ in step.lines)
        yield f"| {cell(times + step.name)} | {cell(step.detail)} | {cell(places)} |"
    yield from _more(len(steps), 3)
    yield ""
    lines = apart_lines(report, row)
    if lines:
        yield "| not fused, though they share data | at most saved | why | change |"
        yield "|:--|--:|:--|:--|"
        for line in lines[:_MOST_ROWS]:
            texts = line.title, line.saved, line.reason, line.change
            yield "| " + " | ".join(map(cell, texts)) + " |"
        yield from _more(len(lines), 4)
        yield ""


def _graph(graph: Graph) -> Iterator[str]:
    yield f"## {prose(graph_headline(graph))}"
    yield ""
    yield "| node | operator | line | gives |"
    yield "|:--|:--|:--|:--|"
    rows = [node for node in graph.nodes if node.is_compute]
    for node in rows[:_MOST_ROWS]:
        yield "| " + " | ".join(map(cell, node_columns(node))) + " |"
    yield from _more(len(rows), 4)
    yield ""


def _more(number: int, columns: int) -> Iterator[str]:
    if number > _MOST_ROWS:
        yield f"| … {number - _MOST_ROWS:,} more in the JSON report |" + " |" * (columns - 1)
