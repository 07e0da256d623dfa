"""A report on graphs as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
from inspector.findings.wording import failure
from inspector.graphs.drawing.options import matches
from inspector.model.graph import Graph
from inspector.renderers.markdown.graph_views import line_lines, operators_lines
from inspector.renderers.markdown.markup import cell, code, prose

_MOST_ROWS = 200


def graph_lines(report: GraphReport) -> Iterator[str]:
    """The lines of a report."""
    target = report.run.meta.target
    yield f"# Graphs of {code(target)}" if target else "# Graphs"
    yield ""
    yield prose(" · ".join(header_parts(report)))
    yield ""
    meta = report.run.meta
    if meta.partial:
        yield f"> Partial recording: {prose(meta.partial.rstrip('.'))}."
        yield ""
    if meta.error:
        yield f"> {failure(meta).capitalize()}: {prose(meta.error)}"
        yield ""
    for row in report.rows:
        yield from _fusion(report, row)
    broken = f"in two graphs, though they share data ({apart_head(report)})"
    yield from _apart(list(break_lines(report)), broken)
    for graph in report.graphs:
        yield from _graph(report, graph)
    if report.operators is not None:
        yield from operators_lines(report.operators)
    if report.around is not None:
        yield from line_lines(report.run, report.around)
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
        places = ", ".join(place for place, _ in step.lines)
        yield f"| {cell(step.title + step.name)} | {cell(step.detail)} | {cell(places)} |"
    yield from _more(len(steps), 3)
    yield ""
    head = f"not fused, though they share data ({apart_head(report)})"
    yield from _apart(apart_lines(report, row), head, smaller_line(row))


def _apart(lines: Sequence[ApartLine], head: str, smaller: str = "") -> Iterator[str]:
    if lines:
        yield f"| {prose(head)} | at most saved | why | change |"
        yield "|:--|--:|:--|:--|"
        for line in lines[:_MOST_ROWS]:
            texts = line.title, line.saved, line.reason, line.change
            yield "| " + " | ".join(map(cell, texts)) + " |"
        if lines[_MOST_ROWS:]:
            yield f"| … {more_line(lines[_MOST_ROWS:])} | | | |"
        yield ""
    if smaller:
        yield f"{smaller[:1].upper()}{smaller[1:]}."
        yield ""


def _graph(report: GraphReport, graph: Graph) -> Iterator[str]:
    yield f"## {prose(graph_headline(graph))}"
    yield ""
    yield "| node | line | gives |"
    yield "|:--|:--|:--|"
    rows = [node for node in graph.nodes if node.is_compute]
    asked = report.part[1] if report.part else None
    for node in rows[:_MOST_ROWS]:
        mark = "* " if asked is not None and matches(node, asked) else ""
        name, *others = node_columns(node)
        yield "| " + " | ".join(map(cell, (mark + name, *others))) + " |"
    yield from _more(len(rows), 3)
    yield ""


def _more(number: int, columns: int) -> Iterator[str]:
    if number > _MOST_ROWS:
        yield f"| … {number - _MOST_ROWS:,} more in the JSON report |" + " |" * (columns - 1)
