"""The counts of a run, in the words that design and schema define."""

import dataclasses
from collections.abc import Iterable, Sequence

from inspector.run.compilation import Compilation, FrameState
from inspector.run.compile_time import StageTime
from inspector.run.graph_break import BreakSite, Evidence, GraphBreak
from inspector.run.run import Run

_UNMEASURED_CALLS = 2  # inspector/capture/execution/explain_calls.py


@dataclasses.dataclass(frozen=True, slots=True)
class Added:
    """Counts added by calls after the first call with each input."""

    graphs: int = 0
    graph_breaks: int = 0
    distinct_graph_breaks: int = 0
    recompiles: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Summary:
    """Counts for the first call with each input, or for the whole run if calls are not marked.

    Attributes:
        frames: Number of code objects that Dynamo began to trace: the sum of the four ``frames_``
            counts.
        frames_compiled: Frames with at least one compiled graph.
        frames_skipped: Frames that Dynamo skipped.
        frames_unfinished: Frames whose end was not recorded.
        operators: call_function, call_method and call_module nodes over all graphs.
        operators_per_graph: Number of operators in each compilation that has a graph, in order.
        distinct_graph_breaks: Number of distinct graph break sites, identified by user file, line
            and graph break type.
        graph_breaks_raised: Number of graph breaks that ``fullgraph=True`` turned into errors; not
            included in ``graph_breaks``.
        compile_time_ns: Wall time of all compilations, including those of later calls; overlapping
            intervals count once.
        later: Counts added by later calls with the same inputs.
    """

    frames: int
    frames_compiled: int
    frames_skipped: int
    frames_failed: int
    frames_unfinished: int
    graphs: int
    operators: int
    operators_per_graph: tuple[int, ...]
    graph_breaks: int
    distinct_graph_breaks: int
    graph_breaks_raised: int
    recompiles: int
    recompile_limit_hits: int
    compile_time_ns: int
    compile_time_by_stage: tuple[StageTime, ...]
    later: Added


def is_later(item: Compilation | GraphBreak) -> bool:
    """Whether it happened in a call after the first one with its input."""
    return bool(item.call)


def is_measured(item: Compilation | GraphBreak) -> bool:
    """Whether it happened in a call that we add to measure; the user's program has no such call."""
    return (item.call or 0) >= _UNMEASURED_CALLS


def group_sites(records: Iterable[GraphBreak]) -> tuple[BreakSite, ...]:
    """Records by site, in the order in which the sites were first met."""
    sites: dict[tuple[str, int, str], list[GraphBreak]] = {}
    for record in records:
        sites.setdefault(record.key, []).append(record)
    return tuple(BreakSite(tuple(found)) for found in sites.values())


def summarize(run: Run) -> Summary:
    """The counts of a run."""
    first = [item for item in run.compilations if not is_later(item)]
    logged = [record for record in run.graph_breaks if record.evidence is not Evidence.FAILURE]
    breaks = [record for record in logged if not is_later(record)]
    states: list[FrameState] = []
    for frame in (frame for process in run.processes for frame in process.frames):
        kept = tuple(item for item in frame.compilations if not is_later(item))
        states += [dataclasses.replace(frame, compilations=kept).state] if kept else []
    stages: dict[str, int] = {}
    for stage in (stage for process in run.processes for stage in process.stages):
        stages[stage.stage] = stages.get(stage.stage, 0) + stage.time_ns
    operators = tuple(item.operators or 0 for item in first if item.graphs)
    return Summary(
        frames=len(states),
        frames_compiled=states.count(FrameState.COMPILED),
        frames_skipped=states.count(FrameState.SKIPPED),
        frames_failed=states.count(FrameState.FAILED),
        frames_unfinished=states.count(FrameState.UNFINISHED),
        graphs=sum(item.graphs for item in first),
        operators=sum(operators),
        operators_per_graph=operators,
        graph_breaks=len(breaks),
        distinct_graph_breaks=len({record.key for record in breaks}),
        graph_breaks_raised=len(run.graph_breaks) - len(logged),
        recompiles=sum(item.is_recompile for item in first),
        recompile_limit_hits=sum(item.hit_limit for item in first),
        compile_time_ns=sum(process.compile_time_ns for process in run.processes),
        compile_time_by_stage=tuple(StageTime(*item) for item in stages.items()),
        later=_added(run.compilations, logged),
    )


def summarize_processes(run: Run) -> tuple[Summary, ...]:
    """The counts of each process of a run, in order."""
    return tuple(
        summarize(dataclasses.replace(run, processes=(process,))) for process in run.processes
    )


def _added(compilations: Sequence[Compilation], breaks: Sequence[GraphBreak]) -> Added:
    known = {record.key for record in breaks if not is_later(record)}
    later = [item for item in compilations if is_later(item) and not is_measured(item)]
    added = [record for record in breaks if is_later(record) and not is_measured(record)]
    return Added(
        graphs=sum(item.graphs for item in later),
        graph_breaks=len(added),
        distinct_graph_breaks=len({record.key for record in added} - known),
        recompiles=sum(item.is_recompile for item in later),
    )
