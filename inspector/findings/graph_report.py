"""Everything that is said about the graphs of a run, and about what was fused."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from inspector.events.fusion import fusion_plan
from inspector.findings.wording import listed
from inspector.graphs.fusion import Fusion, make_fusion
from inspector.graphs.lookup import Around, around_line
from inspector.graphs.not_fused import Pair, kept_apart
from inspector.graphs.operators import (
    Decomposition,
    GraphOperators,
    aten_decompositions,
    count_operators,
)
from inspector.graphs.operators import decompositions as decompositions_of
from inspector.graphs.outside import Outside, outside
from inspector.graphs.reading import read_graphs
from inspector.model.gpu_table import find_gpu
from inspector.model.gpus import Gpu
from inspector.model.graph import Graph, Stage
from inspector.model.run import Process, Run

__all__ = [
    "FORMAT_VERSION",
    "FUSION",
    "FusionRow",
    "GraphReport",
    "Operators",
    "make_graph_report",
    "with_line",
    "with_operators",
]

FORMAT_VERSION = 1
"""Of a report on graphs as JSON: counts up when a field changes its meaning or goes."""
FUSION = "fusion"
"""What ``--stage`` calls the kernels, which are no stage of a graph."""


@dataclasses.dataclass(frozen=True, slots=True)
class FusionRow:
    """What became of one graph.

    Attributes:
        fusion: The kernels.
        pairs: What shares data and was not fused, those that would save most first.
    """

    fusion: Fusion
    pairs: tuple[Pair, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Operators:
    """The operators of every stage.

    Attributes:
        graphs: Those of each graph.
        decompositions: What operators became, by the name of the graph that has what they became.
        outside: What Inductor writes no code for, by the name of the graph.
    """

    graphs: tuple[GraphOperators, ...]
    decompositions: tuple[tuple[str, tuple[Decomposition, ...]], ...]
    outside: tuple[tuple[str, tuple[Outside, ...]], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class GraphReport:
    """The graphs of a run.

    Attributes:
        run: The run.
        gpu: The GPU that is not there, or None.
        stage: What was asked for: a stage's name, ``fusion``, or an empty string for all of them.
        graphs: The graphs of that stage.
        rows: What became of the graphs, where ``fusion`` was asked for.
        notices: What is missing, and what would show it; one sentence each.
        operators: The operators of every stage, where they were asked for.
        around: What became of a line, where one was asked for.
    """

    run: Run
    gpu: Gpu | None
    stage: str
    graphs: tuple[Graph, ...]
    rows: tuple[FusionRow, ...]
    notices: tuple[str, ...]
    operators: Operators | None = None
    around: Around | None = None


def with_operators(report: GraphReport) -> GraphReport:
    """The report on all stages, as one on their operators."""
    captured = {g.compile_id: g for g in report.graphs if g.stage is Stage.DYNAMO}
    decompositions = []
    for graph in report.graphs:
        if graph.stage in {Stage.FORWARD, Stage.INFERENCE} and graph.compile_id in captured:
            found = decompositions_of(captured[graph.compile_id], [graph])
            decompositions.append((graph.name, found))
        elif graph.stage is Stage.BACKWARD:
            decompositions.append((graph.name, aten_decompositions(graph)))
    operators = Operators(
        graphs=tuple(map(count_operators, report.graphs)),
        decompositions=tuple(decompositions),
        outside=tuple((row.fusion.name, outside(row.fusion)) for row in report.rows),
    )
    return dataclasses.replace(report, graphs=(), rows=(), operators=operators)


def with_line(report: GraphReport, file: str, line: int) -> GraphReport:
    """The report on all stages, as one on what became of a line."""
    around = around_line(report.graphs, [row.fusion for row in report.rows], file, line)
    return dataclasses.replace(report, graphs=(), rows=(), around=around)


def make_graph_report(run: Run, stage: str, graph: str = "") -> GraphReport:
    """Reads the graphs of a run, whose logs must still be there.

    Args:
        run: The run.
        stage: A stage's name, ``fusion``, or an empty string for all of them.
        graph: The compilation whose graphs are wanted (``0/0``), or an empty string.

    Raises:
        OSError: A log is gone.
    """
    wanted = frozenset(item for item in Stage if item.value == stage) or frozenset(Stage)
    graphs: list[Graph] = []
    rows: list[FusionRow] = []
    unread: list[str] = []
    for process in run.processes:
        found, problems = read_graphs(process.graphs.places, run.roots, wanted)
        graphs += [item for item in found if graph in {"", item.compile_id}]
        unread += problems
        lowered = found if Stage.POST_GRAD in wanted else []
        rows += _rows(process, [item for item in lowered if graph in {"", item.compile_id}], unread)
    key = next((process.codes.gpu for process in run.processes if process.codes.gpu), "")
    shown = () if stage == FUSION else tuple(_with_kernels(graphs, rows))
    rows = rows if stage in {"", FUSION} else []
    return GraphReport(
        run=run,
        gpu=find_gpu(key) if key else None,
        stage=stage,
        graphs=shown,
        rows=tuple(rows),
        notices=tuple(_missing(run, graph) or _notices(run, stage, shown, rows, unread)),
    )


def _with_kernels(graphs: Sequence[Graph], rows: Sequence[FusionRow]) -> Iterator[Graph]:
    """The post-grad graphs with the kernels that compute each of their nodes."""
    kernels: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for step in row.fusion.steps:
            for node in step.operators:
                kernels.setdefault((row.fusion.graph.name, node.name), []).append(step.name)
    for graph in graphs:
        nodes = [
            dataclasses.replace(node, kernels=tuple(kernels.get((graph.name, node.name), ())))
            for node in graph.nodes
        ]
        is_lowered = graph.stage is Stage.POST_GRAD
        yield dataclasses.replace(graph, nodes=tuple(nodes)) if is_lowered else graph


def _rows(process: Process, graphs: Sequence[Graph], unread: list[str]) -> Iterator[FusionRow]:
    """The graphs are lowered in the order in which they were logged."""
    lowered = [graph for graph in graphs if graph.stage is Stage.POST_GRAD]
    for place in process.graphs.places:
        if place.stage != FUSION or place.recorded is None:
            continue
        try:
            plan = fusion_plan(place.recorded)
        except (OSError, ValueError, RecursionError) as error:
            unread.append(f"what was fused in {place.compile_id}: {error}")
            continue
        key = place.compile_id, plan.direction
        graph = next((g for g in lowered if (g.compile_id, g.direction) == key), None)
        if graph is not None:
            lowered.remove(graph)
            fusion = make_fusion(plan, graph, graph.number)
            yield FusionRow(fusion, tuple(kept_apart(fusion)))


def _missing(run: Run, graph: str) -> list[str]:
    """Says that there is no such compilation; nothing where there is, or none is asked for."""
    places = [place for process in run.processes for place in process.graphs.places]
    known = list(dict.fromkeys(place.compile_id for place in places))
    if not graph or not known or graph in known:
        return []
    return [f"the recording has no compilation {graph}, but {listed(known)}"]


def _notices(
    run: Run, stage: str, graphs: Sequence[Graph], rows: Sequence[FusionRow], unread: Sequence[str]
) -> Iterator[str]:
    target = run.meta.target or "model.py"
    command = f"`inspect graph {target}` records it"
    if stage == FUSION and not rows:
        yield f"the recording does not say what was fused: {command}"
    elif not stage and not graphs:
        yield f"the recording has no graph: {command}"
    elif stage not in {"", FUSION} and not graphs:
        yield f"the recording has no {stage} graph: {command}, if the compiler came that far"
    if any(graph.is_parsed for graph in graphs):
        yield f"graphs were read from torch's text, without modules and FLOPs: {command} whole"
    if run.meta.settings.get("generates") and not run.meta.settings.get("gpu"):
        yield (
            "nothing was compiled: graphs ran operator by operator, and C++ is for the vector "
            "instructions that the processor declares"
        )
    decisions = [
        item for process in run.processes for _, said in process.codes.targets
        for item in said.measured
    ]  # fmt: skip
    if decisions and rows:
        names = ", ".join(sorted({item.what for item in decisions}))
        yield (
            f"what the GPU would measure is not decided ({len(decisions)} times: {names}): a "
            "library is shown where a template might be taken, with what could be fused into it"
        )
    for text in unread:
        yield f"could not be read: {text}"
