"""Everything that is said about the graphs of a run, and about what was fused."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from inspector.events.fusion import fusion_plan
from inspector.graphs.fusion import Fusion, make_fusion
from inspector.graphs.not_fused import Pair, kept_apart
from inspector.graphs.reading import read_graphs
from inspector.model.gpu_table import find_gpu
from inspector.model.gpus import Gpu
from inspector.model.graph import Graph, Stage
from inspector.model.run import Process, Run

__all__ = ["FORMAT_VERSION", "FUSION", "FusionRow", "GraphReport", "make_graph_report"]

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
class GraphReport:
    """The graphs of a run.

    Attributes:
        run: The run.
        gpu: The GPU that is not there, or None.
        stage: What was asked for: a stage's name, ``fusion``, or an empty string for all of them.
        graphs: The graphs of that stage.
        rows: What became of the graphs, where ``fusion`` was asked for.
        notices: What is missing, and what would show it; one sentence each.
    """

    run: Run
    gpu: Gpu | None
    stage: str
    graphs: tuple[Graph, ...]
    rows: tuple[FusionRow, ...]
    notices: tuple[str, ...]


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
        if stage in {"", FUSION}:
            rows += _rows(process, [item for item in found if item in graphs], unread)
    key = next((process.codes.gpu for process in run.processes if process.codes.gpu), "")
    shown = () if stage == FUSION else tuple(graphs)
    return GraphReport(
        run=run,
        gpu=find_gpu(key) if key else None,
        stage=stage,
        graphs=shown,
        rows=tuple(rows),
        notices=tuple(_notices(run, stage, shown, rows, unread)),
    )


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


def _notices(
    run: Run, stage: str, graphs: Sequence[Graph], rows: Sequence[FusionRow], unread: Sequence[str]
) -> Iterator[str]:
    target = run.meta.target or "model.py"
    command = f"`inspect graph {target}` records it"
    if stage == FUSION and not rows:
        yield f"the recording does not say what was fused: {command}"
    elif stage not in {"", FUSION} and not graphs:
        yield f"the recording has no {stage} graph: {command}, if the compiler came that far"
    if any(graph.is_parsed for graph in graphs):
        yield f"graphs were read from torch's text, without modules and FLOPs: {command} whole"
    if run.meta.settings.get("generates") and not run.meta.settings.get("gpu"):
        yield (
            "nothing was compiled: graphs ran operator by operator, and C++ is for the vector "
            "instructions that the processor declares"
        )
    for text in unread:
        yield f"could not be read: {text}"
