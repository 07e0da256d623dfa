"""The page on graphs: what was fused, the operators of a stage, or what became of a line."""

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Sequence

from inspector.features.graph.drawing import labels
from inspector.features.graph.drawing.options import matches
from inspector.features.graph.fusion import Fusion
from inspector.features.graph.line_kernels import FoundNode, KernelAtLine, Relation
from inspector.features.graph.lookup import Around, covers, is_same_file
from inspector.features.graph.operators import shown_operator
from inspector.features.graph.report import GraphReport, Operators
from inspector.features.graph.unfused_wording import unfused_head, unfused_lines
from inspector.features.graph.vllm import vllm_of, vllm_sections
from inspector.features.graph.wording import (
    decomposition_lines,
    fusion_headline,
    graph_headline,
    header_parts,
    node_columns,
    operator_lines,
    operators_blocks,
    step_lines,
    traffic_line,
)
from inspector.report.command_line import command_about
from inspector.report.page import CodeLine, Column, Lines, Page, Section, Table, about, as_notes
from inspector.report.wording import count, listed, size
from inspector.run.graph import Graph, Stage
from inspector.run.run import Run

_MOST_ROWS = 12
_MOST_APART = 3
_MOST_NAMED = 12
_MOST_OPERATORS = 12
_MOST_FILES = 8
_STEP = (Column("kernel", "code"), Column("", "below"), Column("lines", "below"))
_APART = (
    Column("saves at most"),
    Column("what", "below"),
    Column("why", "below"),
    Column("change", "below"),
)
_NODE = (Column("node", "code"), Column("line"), Column("gives"))


def page(report: GraphReport) -> Page:
    """Everything that was asked for."""
    sections = [*vllm_sections(vllm_of(report.run))]
    sections += [section for fusion in report.fusions for section in _fusion(report, fusion)]
    sections += [_graph(report, graph) for graph in report.graphs]
    if report.operators is not None:
        sections += _operators(report.operators)
    if report.around is not None:
        sections += _line(report.around)
    return Page(
        "Graphs",
        _headline(report),
        dataclasses.replace(about(report.run), context=(" · ".join(header_parts(report)),)),
        summary=_break_sentences(report.run, report.around) if report.around else (),
        sections=sections,
        notes=as_notes(report.notices),
        next_steps=list(_next_steps(report)),
    )


def _headline(report: GraphReport) -> str:
    around = report.around
    if around is not None:
        became = count(len(around.nodes), "node")
        if around.kernels:
            became += f" and {count(len(around.kernels), 'kernel')}"
        place = f"{around.asked}:{around.line}"
        return f"{place} became {became}" if around.nodes else _no_line(report.run, around)
    if report.operators is not None:
        return f"operators of {count(len(report.operators.graphs), 'graph')}"
    if report.graphs:
        return f"{report.graphs[0].stage.value}: {count(len(report.graphs), 'graph')}"
    if not report.fusions:
        return "no fusion recorded"
    steps = [step for fusion in report.fusions for step in fusion.steps]
    operators = count(sum(len(step.operators) for step in steps), "operator")
    graphs = count(len(report.fusions), "graph")
    return f"{operators} of {graphs} in {count(len(steps), 'kernel')} and library calls"


def _fusion(report: GraphReport, fusion: Fusion) -> Iterator[Section]:
    rows = [
        (name, detail, [CodeLine(*line) for line in lines.items()])
        for name, detail, lines in step_lines(fusion)
    ]
    blocks = (Lines([traffic_line(fusion)]), Table(_STEP, rows, "kernel", _MOST_ROWS))
    yield Section(fusion_headline(fusion), blocks)
    apart = [
        (line.saved, line.title, line.reason, line.change) for line in unfused_lines(report, fusion)
    ]
    table = Table(_APART, apart, "case", _MOST_APART)
    yield Section(f"Not fused ({unfused_head(report)})", [table])


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


def _pairs(title: str, titles: tuple[str, str], rows: Iterable[tuple[str, str]]) -> Section:
    columns = (Column(titles[0]), Column(titles[1]))
    return Section(title, [Table(columns, list(rows), titles[0], _MOST_OPERATORS)])


def _line(around: Around) -> Iterator[Section]:
    for title, rows in _node_blocks(around):
        columns = (Column("node", "code"), Column("operator"))
        yield Section(title, [Table(columns, rows, "node", _MOST_NAMED)])
    for title, rows in kernel_blocks(around):
        columns = (Column("kernel", "code"), Column("bytes, nodes", "below"))
        yield Section(title, [Table(columns, rows, "kernel", _MOST_NAMED)])


def _next_steps(report: GraphReport) -> Iterator[str]:
    if report.fusions:
        yield command_about(report.run, "graph", "--stage", "fusion", "-o", "fusion.svg")
    elif report.graphs:
        options = ("--stage", report.graphs[0].stage.value, *report.part, "-o", "graph.svg")
        yield command_about(report.run, "graph", *options)


def _no_line(run: Run, around: Around) -> str:
    text = f"No operator in the recording comes from {around.asked}:{around.line}."
    if around.nearest:
        noun = "line" if len(around.nearest) == 1 else "lines"
        text += f" The nearest {noun} with operators: {', '.join(map(str, around.nearest))}."
    elif around.known_files:
        files = [run.roots.shown(file) for file in around.known_files]
        text += f" Files with operators: {listed(files, _MOST_FILES)}."
    return text


def _break_sentences(run: Run, around: Around) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for record in (record for item in run.compilations for record in item.graph_breaks):
        frames = (record.user, record.project)
        at_line = (item for item in frames if item is not None and covers(item, around.line))
        if any(is_same_file(around.asked, item.file) for item in at_line):
            kind = f"{record.cause.gb_id}: " if record.cause.gb_id else ""
            text = f"The graph breaks here ({kind}{record.cause.title.rstrip('.')})"
            found[f"{text}. `inspect explain` shows why, and how to fix it."] = None
    return tuple(found)


def _node_blocks(around: Around) -> list[tuple[str, list[tuple[str, str]]]]:
    """The nodes of each stage; stages with the same ones are named together."""
    blocks: list[tuple[str, list[tuple[str, str]]]] = []
    for stage in Stage:
        rows = [_node_line(found) for found in around.nodes if found.graph.stage is stage]
        if rows and blocks and blocks[-1][1] == rows:
            blocks[-1] = f"{blocks[-1][0]}, {stage.value}", rows
        elif rows:
            blocks.append((stage.value, rows))
    return blocks


def _node_line(found: FoundNode) -> tuple[str, str]:
    node = found.node
    tensors = ", ".join(map(labels.shape, node.tensors))
    parts = [f"{shown_operator(node)} {tensors}".rstrip()]
    parts += [f"in {node.module}"] if node.module else []
    if found.relation is Relation.THROUGH:
        parts.append(f"called from here, at {labels.line(node.line)}")
    elif found.relation is Relation.DERIVED:
        parts.append("added by a compiler pass for operators of this line")
    return node.name, " · ".join(parts)


def kernel_blocks(around: Around) -> list[tuple[str, list[tuple[str, str]]]]:
    """The kernels of both passes, each with a title."""
    titled = (("forward kernels", around.forward), ("backward kernels", around.backward))
    return [(title, list(_kernel_lines(kernels))) for title, kernels in titled if kernels]


def _kernel_lines(kernels: Sequence[KernelAtLine]) -> Iterator[tuple[str, str]]:
    is_one = len({kernel.graph for kernel in kernels}) == 1
    for kernel in kernels:
        graph = "" if is_one else f"{kernel.graph} "
        moved = "" if kernel.bytes_ is None else size(kernel.bytes_)
        shared = "shared with other lines" if kernel.is_shared else ""
        names = ", ".join(kernel.nodes)
        computed = f"{kernel.part} ({names})" if kernel.part else names
        parts = (", ".join(filter(None, (moved, shared))), computed)
        yield f"{graph}#{kernel.number} {kernel.kernel}", " · ".join(filter(None, parts))
