"""What was compiled for a combination: the program's own, without what looked for a fault."""

import collections
import dataclasses
import statistics
from collections.abc import Iterator, Mapping, Sequence

from inspector.features.kernels.output_code import read_output_code
from inspector.records.bench import BenchEvent
from inspector.run.compile_time import CompilationTime
from inspector.run.run import Process, Run
from inspector.run.summary import summarize
from inspector.shared.bench import BenchPlan


@dataclasses.dataclass(frozen=True, slots=True)
class Compiled:
    """What was compiled, in the first session.

    Attributes:
        graph_breaks: Records of graph breaks.
        recompiles: Compilations after the first of a code object.
        compile_time_ns: Union of the wall intervals of all compilations, caches empty.
        cached_time_ns: The same with the caches filled, or None.
    """

    graphs: int
    graph_breaks: int
    recompiles: int
    kernels: int
    compile_time_ns: int
    cached_time_ns: int | None


def make_compiled(run: Run, plan: BenchPlan, processes: Mapping[int, Process]) -> Compiled | None:
    """What was compiled, by the combination's processes by session; of the first one it is told."""
    begin = min(processes, default=None)
    if begin is None or not plan.is_first(begin):
        return None
    first = processes[begin]
    summary = summarize(dataclasses.replace(run, processes=(first,)))
    cached = [process.compile_time_ns for session, process in processes.items() if session != begin]
    own = _own_times(first)
    is_all = len(own) == len(first.compile_times)
    return Compiled(
        graphs=summary.graphs,
        graph_breaks=summary.graph_breaks,
        recompiles=summary.recompiles,
        kernels=sum(_kernels(first, own)),
        compile_time_ns=first.compile_time_ns if is_all else sum(map(_time_ns, own)),
        cached_time_ns=round(statistics.median(cached)) if any(cached) else None,
    )


def first_process(run: Run, plan: BenchPlan, combination: int) -> Process | None:
    """The process in which a combination began for the first time."""
    for process in run.processes:
        for event in process.records(BenchEvent):
            if event.combination == combination and plan.is_first(event.session):
                return process
    return None


def _own_times(process: Process) -> Sequence[CompilationTime]:
    """Compile times before those of looking for a fault, which comes after all else."""
    later = [
        item.start_time_ns
        for frame in process.frames
        for item in frame.compilations
        if item.call and item.start_time_ns is not None
    ]
    if not later:
        return process.compile_times
    # Torch says that a compilation begins a little after its time does: the ends are compared.
    return [it for it in process.compile_times if it.begin_ns + _time_ns(it) <= min(later)]


def _time_ns(found: CompilationTime) -> int:
    return sum(stage.time_ns for stage in found.stages)


def _kernels(process: Process, own: Sequence[CompilationTime]) -> Iterator[int]:
    later = {
        str(item.compile_id) for frame in process.frames for item in frame.compilations if item.call
    }
    # Looking for a fault begins anew with the ids: of each those texts are the program's that come
    # first, one for each half of a compilation, forward and backward.
    halves = collections.Counter(item.compile_id for item in own)
    seen: collections.Counter[str] = collections.Counter()
    for code in process.codes.texts:
        seen[code.compile_id] += 1
        if code.compile_id in later and seen[code.compile_id] > halves[code.compile_id]:
            continue
        try:
            text = code.text.text() if code.text is not None else ""
            yield len(read_output_code(text, code.compile_id, {}).kernels)
        except (OSError, ValueError):
            yield 0  # a log that is cut off
