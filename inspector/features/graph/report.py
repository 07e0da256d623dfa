"""Everything that is said about the graphs of a run, and about what was fused."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from inspector.features.graph.decompositions import Decomposition, aten_decompositions
from inspector.features.graph.decompositions import decompositions as decompositions_of
from inspector.features.graph.fusion import Fusion
from inspector.features.graph.lookup import Around, around_line
from inspector.features.graph.make_fusion import make_fusion
from inspector.features.graph.not_fused import unfused_pairs
from inspector.features.graph.operators import GraphOperators, count_operators
from inspector.features.graph.passes import GraphPasses, read_passes
from inspector.features.graph.reading import read_graphs
from inspector.features.graph.vllm import Vllm, make_vllm, process_names
from inspector.records.fusion import FusionPlan
from inspector.report.command_line import command_again
from inspector.report.failed_frames import failed_frames
from inspector.report.overview import reading_texts
from inspector.report.wording import count, listed
from inspector.run.graph import Graph, Stage
from inspector.run.run import Process, Run
from inspector.shared.gpu_table import find_gpu
from inspector.shared.gpus import Gpu
from inspector.trace.inspector_records import stored_record

FORMAT_VERSION = 1
"""Of a report on graphs as JSON: counts up when a field changes its meaning or goes."""
_ASKED = {
    "prims": " --stage prims",
    "inference": " --no-grad",
    "joint": " --train",
    "forward": " --train",
    "backward": " --train",
}
"""What has to be asked for to get a graph of a stage, where a plain recording lacks it."""
_NOT_TRACED = "decompositions were not recorded"
FUSION = "fusion"
"""What ``--stage`` calls the kernels, which are no stage of a graph."""


@dataclasses.dataclass(frozen=True, slots=True)
class Operators:
    """The operators of every stage."""

    graphs: tuple[GraphOperators, ...]
    decompositions: tuple[Decomposition, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class GraphReport:
    """The graphs of a run.

    Attributes:
        gpu: The simulated GPU, or None.
        stage: Requested stage, or ``fusion``; none if all stages were requested.
        graphs: The graphs of that stage.
        fusions: Generated kernels and fusion decisions of each graph, if ``fusion`` was requested.
        notices: Missing data and how to obtain it, one sentence each.
        operators: The operators of every stage, where they were asked for.
        around: Nodes and kernels of a source line, or None if no line was requested.
        part: The options that made parts of the graphs, or nothing.
    """

    run: Run
    gpu: Gpu | None
    stage: str
    graphs: tuple[Graph, ...]
    fusions: tuple[Fusion, ...]
    notices: tuple[str, ...]
    operators: Operators | None = None
    around: Around | None = None
    part: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class PassesReport:
    """What passes changed in the graphs of a run.

    Attributes:
        notices: Missing data and how to obtain it, one sentence each.
        vllm: What vLLM compiled piecewise, for each process that used vLLM.
    """

    run: Run
    graphs: tuple[GraphPasses, ...]
    notices: tuple[str, ...]
    vllm: tuple[Vllm, ...] = ()


def with_operators(report: GraphReport) -> GraphReport:
    """The report on all stages, as one on their operators."""
    captured = {g.compile_id: g for g in report.graphs if g.stage is Stage.DYNAMO}
    decompositions: list[Decomposition] = []
    notices = report.notices
    for graph in report.graphs:
        if graph.stage in {Stage.FORWARD, Stage.INFERENCE} and graph.compile_id in captured:
            computed = [node for node in graph.nodes if node.is_compute]
            if computed and not any(node.earlier for node in computed):  # as in torch's own text
                notices = tuple(dict.fromkeys((*notices, _NOT_TRACED)))
                continue
            decompositions += decompositions_of(captured[graph.compile_id], graph)
        elif graph.stage in {Stage.BACKWARD, Stage.PRIMS}:
            decompositions += aten_decompositions(graph)
    operators = Operators(
        graphs=tuple(map(count_operators, report.graphs)), decompositions=tuple(decompositions)
    )
    return dataclasses.replace(report, graphs=(), fusions=(), operators=operators, notices=notices)


def with_line(report: GraphReport, file: str, line: int) -> GraphReport:
    """The report on all stages, as one on what became of a line."""
    around = around_line(report.graphs, report.fusions, file, line)
    return dataclasses.replace(report, graphs=(), fusions=(), around=around)


def make_passes_report(run: Run, graph: str = "") -> PassesReport:
    """What each pass changed.

    Args:
        graph: The compilation whose graphs are wanted (``0/0``), or an empty string.
    """
    found: list[GraphPasses] = []
    unread: list[str] = []
    vllm: list[Vllm] = []
    for process, name in zip(run.processes, process_names(run), strict=True):
        passes, problems = read_passes(process, run.roots)
        unread += [f"not shown: {text}" for text in problems]
        compiled = make_vllm(process, name)
        vllm += [compiled] if compiled else []
        found += [
            dataclasses.replace(item, name=" ".join(filter(None, (name, part, item.name))))
            for item in passes
            if graph in {"", item.compile_id}
            for part in [compiled.part_of(item) if compiled else ""]
        ]
    failed = failed_frames(run)
    notices = [f"compilation was incomplete: {failed}"] if failed else []
    again = command_again(run, "graph", "--passes")
    if not found and not vllm:
        notices.append(f"`{again}` records passes")
    elif not vllm and not all(item.is_whole for item in found):
        notices.append(
            f"torch logs graphs only before and after all passes; `{again}` records each pass"
        )
    return PassesReport(run, tuple(found), (*reading_texts(run), *unread, *notices), tuple(vllm))


def make_graph_report(run: Run, stage: str, graph: str = "") -> GraphReport:
    """Reads the graphs of a run, whose logs must still be there.

    Args:
        stage: A stage's name, ``fusion``, or an empty string for all of them.
        graph: The compilation whose graphs are wanted (``0/0``), or an empty string.

    Raises:
        OSError: A log is gone.
    """
    wanted = frozenset(item for item in Stage if item.value == stage) or frozenset(Stage)
    if stage == FUSION:
        wanted = frozenset({Stage.POST_GRAD})
    graphs: list[Graph] = []
    fusions: list[Fusion] = []
    unread: list[str] = []
    for process, name in zip(run.processes, process_names(run), strict=True):
        places = process.graphs.places
        if stage == FUSION and not any(place.stage == FUSION for place in places):
            continue  # nothing is shown of these graphs
        read, problems = read_graphs(places, run.roots, wanted)
        unread += problems
        asked = (item for item in read if graph in {"", item.compile_id})
        found = [dataclasses.replace(item, process=name) for item in asked]
        fused = list(_fusions(process, found, unread)) if Stage.POST_GRAD in wanted else []
        graphs += _with_kernels(found, fused)
        fusions += fused
    key = next((process.codes.gpu for process in run.processes if process.codes.gpu), "")
    shown = () if stage == FUSION else tuple(graphs)
    fusions = fusions if stage in {"", FUSION} else []
    known = list(dict.fromkeys(p.compile_id for each in run.processes for p in each.graphs.places))
    notices: Iterable[str] = _notices(run, stage, shown, fusions, unread)
    if graph and known and graph not in known:
        notices = [f"the recording has no compilation {graph}, only {listed(known)}"]
    return GraphReport(
        run=run,
        gpu=find_gpu(key) if key else None,
        stage=stage,
        graphs=shown,
        fusions=tuple(fusions),
        notices=(*reading_texts(run), *notices),
    )


def _with_kernels(graphs: Sequence[Graph], fusions: Sequence[Fusion]) -> Iterator[Graph]:
    kernels: dict[tuple[str, str], list[str]] = {}
    for fusion in fusions:
        for step in fusion.steps:
            for node in step.operators:
                kernels.setdefault((fusion.graph.name, node.name), []).append(step.name)
    for graph in graphs:
        nodes = [
            dataclasses.replace(node, kernels=tuple(kernels.get((graph.name, node.name), ())))
            for node in graph.nodes
        ]
        is_lowered = graph.stage is Stage.POST_GRAD
        yield dataclasses.replace(graph, nodes=tuple(nodes)) if is_lowered else graph


def _fusions(process: Process, graphs: Sequence[Graph], unread: list[str]) -> Iterator[Fusion]:
    """What became of each post-grad graph, in the order of the log."""
    lowered = [graph for graph in graphs if graph.stage is Stage.POST_GRAD]
    nested = 0
    for place in process.graphs.places:
        if place.stage != FUSION or place.recorded is None:
            continue
        try:
            plan = stored_record(FusionPlan, place.recorded)
        except (OSError, ValueError, RecursionError) as error:
            unread.append(f"fusion in {place.compile_id}: {error}")
            continue
        if plan.name:  # that of a graph inside of a higher-order operator
            nested += any(graph.compile_id == place.compile_id for graph in graphs)
            continue
        graph = _lowered_by(plan, place.compile_id, lowered)
        if graph is not None:
            lowered.remove(graph)
            hints = process.graphs.hints.get(place.compile_id, {})
            fusion = make_fusion(plan, graph, hints)
            yield dataclasses.replace(fusion, pairs=tuple(unfused_pairs(fusion)))
    if nested:
        unread.append(
            f"fusion and kernels of {count(nested, 'graph')} inside higher-order operators (cond, "
            "checkpoint, …)"
        )
    if len(lowered) < sum(graph.stage is Stage.POST_GRAD for graph in graphs):
        unread += [f"fusion in {graph.name} (not in the recording)"
                   for graph in lowered]  # fmt: skip


def _lowered_by(plan: FusionPlan, compile_id: str, graphs: Sequence[Graph]) -> Graph | None:
    key = compile_id, plan.direction
    found = [graph for graph in graphs if (graph.compile_id, graph.direction) == key]
    if len(found) < 2:  # noqa: PLR2004
        return found[0] if found else None
    origins = {name for item in plan.operations for name in item.origins}
    return max(found, key=lambda graph: len(origins & {node.name for node in graph.nodes}))


def _notices(
    run: Run, stage: str, graphs: Sequence[Graph], fusions: Sequence[Fusion], unread: Sequence[str]
) -> Iterator[str]:
    command = f"`{command_again(run, 'graph')}` records it"
    failed = failed_frames(run) or listed([
        f"no code was generated for graph {compile_id} ({code.error.partition(chr(10))[0]})"
        for process in run.processes
        for compile_id, code in process.codes.targets
        if code.error
    ])  # fmt: skip
    if not fusions and not graphs:
        yield from _nothing(run, stage, failed)
    elif failed:
        yield f"compilation was incomplete: {failed}"
    if any(graph.is_parsed for graph in graphs):
        yield (
            "modules and FLOPs are missing, because the recording contains each graph only as "
            f"torch's text; {command} in full"
        )
    for text in unread:
        yield f"not shown: {text}"


def _nothing(run: Run, stage: str, failed: str) -> Iterator[str]:
    """Why there is nothing of what was asked for, or what would record it."""
    asked = _ASKED.get(stage, "")
    command = f"`{command_again(run, 'graph', *asked.split())}` records it"
    what = f"the recording has no {stage} graph" if stage else "the recording has no graph"
    if stage == FUSION:
        what = "fusion was not recorded"
    settings = run.meta.settings
    is_plain = bool(settings.get("generates")) and settings.get("backend") == "inductor"
    name = asked.strip().lstrip("-").replace("-", "_")
    if failed:
        yield f"{what}: {failed}"
    elif is_plain and (not asked or settings.get(name)):  # as the command below would
        yield f"{what} because compilation stopped earlier; `inspect explain` shows why"
    else:
        yield f"{what}; {command}"
    recorded = {place.stage for process in run.processes for place in process.graphs.places}
    stages = [item.value for item in Stage if item.value.replace("-", "_") in recorded]
    if stages and stage == FUSION:
        yield f"graphs of {listed(stages, len(stages))} are available; choose one with --stage"
