"""The page on graphs: what was fused, the operators of a stage, or what became of a line."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator

from inspector.features.graph.apart_wording import ApartLine, apart_head, apart_lines, break_lines
from inspector.features.graph.drawing.options import matches
from inspector.features.graph.line_wording import (
    break_sentences,
    kernel_blocks,
    no_line,
    node_blocks,
)
from inspector.features.graph.lookup import Around
from inspector.features.graph.report import FusionRow, GraphReport, Operators
from inspector.features.graph.wording import (
    decomposition_lines,
    fusion_headline,
    graph_headline,
    header_parts,
    node_columns,
    operator_lines,
    operators_blocks,
    outside_lines,
    step_lines,
    traffic_line,
)
from inspector.report.command_line import command_about
from inspector.report.page import CodeLine, Column, Lines, Page, Section, Table, about, as_notes
from inspector.report.wording import count
from inspector.run.graph import Graph
from inspector.run.run import Run

_MOST_ROWS = 12
_MOST_APART = 3
_MOST_NAMED = 12
_MOST_OPERATORS = 12
_STEP = (Column("kernel", "code"), Column("", "below"), Column("lines", "below"))
_APART = (
    Column("at most saved"),
    Column("what", "below"),
    Column("why", "below"),
    Column("change", "below"),
)
_NODE = (Column("node", "code"), Column("line"), Column("gives"))


def page(report: GraphReport) -> Page:
    """Everything that was asked for."""
    sections = [section for row in report.rows for section in _fusion(report, row)]
    sections.append(_apart("Split by graph breaks", report, break_lines(report)))
    sections += [_graph(report, graph) for graph in report.graphs]
    if report.operators is not None:
        sections += _operators(report.operators)
    if report.around is not None:
        sections += _line(report.around)
    return Page(
        "Graphs",
        _headline(report),
        dataclasses.replace(about(report.run), context=(" · ".join(header_parts(report)),)),
        summary=break_sentences(report.run, report.around) if report.around else (),
        sections=sections,
        notes=as_notes(report.notices),
        next_steps=list(_next_steps(report)),
    )


def _headline(report: GraphReport) -> str:
    if report.around is not None:
        return _line_headline(report.run, report.around)
    if report.operators is not None:
        return f"operators of {count(len(report.operators.graphs), 'graph')}"
    if report.graphs:
        return f"{report.graphs[0].stage.value}: {count(len(report.graphs), 'graph')}"
    if not report.rows:
        return "no fusion was recorded"
    steps = [step for row in report.rows for step in row.fusion.steps]
    operators = count(sum(len(step.operators) for step in steps), "operator")
    graphs = count(len(report.rows), "graph")
    return f"{operators} of {graphs} in {count(len(steps), 'kernel')} and library calls"


def _line_headline(run: Run, around: Around) -> str:
    if not around.nodes:
        return no_line(run, around)
    became = f"{count(len(around.nodes), 'node')} and {count(len(around.kernels), 'kernel')}"
    return f"{around.asked}:{around.line} became {became}"


def _fusion(report: GraphReport, row: FusionRow) -> Iterator[Section]:
    rows = [
        (name, detail, [CodeLine(*line) for line in lines.items()])
        for name, detail, lines in step_lines(row.fusion)
    ]
    blocks = (Lines([traffic_line(row.fusion)]), Table(_STEP, rows, "kernel", _MOST_ROWS))
    yield Section(fusion_headline(row.fusion), blocks)
    yield _apart("Not fused", report, apart_lines(report, row))


def _apart(title: str, report: GraphReport, lines: Iterable[ApartLine]) -> Section:
    rows = [(line.saved, line.title, line.reason, line.change) for line in lines]
    return Section(f"{title} ({apart_head(report)})", [Table(_APART, rows, "case", _MOST_APART)])


def _graph(report: GraphReport, graph: Graph) -> Section:
    asked = report.part[1] if report.part else None
    rows = []
    for node in graph.nodes:
        if node.is_compute:
            name, line, gives = node_columns(node)
            mark = "* " if asked is not None and matches(node, asked) else ""
            rows.append((mark + name, line, gives))
    marked = [f"* what matches {asked}"] if any(name[:2] == "* " for name, *_ in rows) else []
    table = Table(_NODE, rows, "operator", _MOST_ROWS)
    return Section(graph_headline(graph), (table, Lines(marked)))


def _operators(operators: Operators) -> Iterator[Section]:
    for title, graph in operators_blocks(operators.graphs):
        yield _pairs(title, ("kind", "operators"), operator_lines(graph))
    for name, found in itertools.groupby(operators.decompositions, lambda item: item.graph):
        title = f"Decompositions in {name}"
        yield _pairs(title, ("operator", "became"), decomposition_lines(list(found)))
    for name, calls in itertools.groupby(operators.outside, lambda item: item.graph):
        title = f"Left to libraries and ATen in {name}"
        yield _pairs(title, ("call", "why"), outside_lines(calls))


def _pairs(title: str, titles: tuple[str, str], rows: Iterable[tuple[str, str]]) -> Section:
    columns = (Column(titles[0]), Column(titles[1]))
    return Section(title, [Table(columns, list(rows), titles[0], _MOST_OPERATORS)])


def _line(around: Around) -> Iterator[Section]:
    """The nodes of each stage, then the kernels of forward and of backward."""
    for title, rows in node_blocks(around):
        columns = (Column("node", "code"), Column("operator"))
        yield Section(title, [Table(columns, rows, "node", _MOST_NAMED)])
    for title, rows in kernel_blocks(around):
        columns = (Column("kernel", "code"), Column("bytes, nodes", "below"))
        yield Section(title, [Table(columns, rows, "kernel", _MOST_NAMED)])


def _next_steps(report: GraphReport) -> Iterator[str]:
    if report.rows:
        yield command_about(report.run, "graph", "--stage", "fusion", "-o", "fusion.svg")
    elif report.graphs:
        options = ("--stage", report.graphs[0].stage.value, *report.part, "-o", "graph.svg")
        yield command_about(report.run, "graph", *options)
