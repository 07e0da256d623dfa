"""What was compiled for a combination."""

import dataclasses
import statistics
from collections.abc import Iterator, Mapping

from inspector.features.kernels.output_code import read_output_code
from inspector.records.bench import BenchEvent
from inspector.run.run import Process, Run
from inspector.run.summary import summarize


@dataclasses.dataclass(frozen=True, slots=True)
class Compiled:
    """What was compiled, in the first session.

    Attributes:
        graph_breaks: Number of graph break records.
        recompiles: Compilations after the first of a code object.
        compile_time_ns: Wall time of all compilations with empty caches; overlapping intervals
            count once.
        cached_time_ns: Wall time of all compilations with filled caches, or None.
    """

    graphs: int
    graph_breaks: int
    recompiles: int
    kernels: int
    compile_time_ns: int
    cached_time_ns: int | None


def make_compiled(run: Run, processes: Mapping[int, Process]) -> Compiled | None:
    """What was compiled, by the combination's processes by session; of the first one it is told."""
    begin = min(processes, default=None)
    if begin != 0:
        return None
    first = processes[begin]
    summary = summarize(dataclasses.replace(run, processes=(first,)))
    cached = [process.compile_time_ns for session, process in processes.items() if session != begin]
    return Compiled(
        graphs=summary.graphs,
        graph_breaks=summary.graph_breaks,
        recompiles=summary.recompiles,
        kernels=sum(_kernels(first)),
        compile_time_ns=first.compile_time_ns,
        cached_time_ns=round(statistics.median(cached)) if any(cached) else None,
    )


def first_process(run: Run, combination: int) -> Process | None:
    """The process in which a combination began for the first time."""
    for process in run.processes:
        for event in process.records(BenchEvent):
            if event.combination == combination and not event.session:
                return process
    return None


def _kernels(process: Process) -> Iterator[int]:
    for code in process.codes.texts:
        try:
            text = code.text.text() if code.text is not None else ""
            yield len(read_output_code(text, code.compile_id, {}).kernels)
        except (OSError, ValueError):
            yield 0  # a log that is cut off
