"""What was compiled for a combination."""

import dataclasses
from collections.abc import Iterator

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
    """

    graphs: int
    graph_breaks: int
    recompiles: int
    kernels: int


def make_compiled(run: Run, process: Process | None) -> Compiled | None:
    """What the first process of a combination compiled."""
    if process is None:
        return None
    summary = summarize(dataclasses.replace(run, processes=(process,)))
    return Compiled(
        graphs=summary.graphs,
        graph_breaks=summary.graph_breaks,
        recompiles=summary.recompiles,
        kernels=sum(_kernels(process)),
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
