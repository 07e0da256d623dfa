"""Loops that make a graph, and the time that it takes to compile, as long as they run."""

from collections.abc import Iterator

from inspector.features.graph.reading import captured_graphs
from inspector.features.graph.unrolled import LEAST_OPERATORS, Unrolled, unrolled_loop
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.wording import duration
from inspector.run.run import Process, Run

_AT_ONCE = (
    "If no step needs the result of another, compute all steps with one operator over the whole "
    "tensor."
)


class UnrolledLoopRule(Rule[Run, Finding]):
    """A loop is unrolled."""

    id = "unrolled-loop"
    severity = Severity.INFO

    def check(self, run: Run) -> Iterator[Finding]:
        """At most one finding for each loop."""
        seen: set[tuple[str, int]] = set()
        for process in run.processes:
            for compile_id, loop in _loops(run, process):
                place = loop.frame.file, loop.frame.line
                if place not in seen:
                    seen.add(place)
                    yield _finding(run, compile_id, loop)


def _loops(run: Run, process: Process) -> Iterator[tuple[str, Unrolled]]:
    """The unrolled loops, with their compilations."""
    large = {
        str(item.compile_id)
        for frame in process.frames
        for item in frame.compilations
        if (item.operators or 0) >= LEAST_OPERATORS
    }
    # Torch's own text has the innermost line of a node alone.
    for graph in captured_graphs(process, run.roots, large, recorded=True):
        loop = unrolled_loop(graph, run.sources.text)
        if loop is not None:
            yield graph.compile_id, loop


def _finding(run: Run, compile_id: str, loop: Unrolled) -> Finding:
    # After torch._dynamo.reset() other compilations have the same ids.
    took = [i.duration_ns for i in run.compilations if str(i.compile_id) == compile_id]
    time = f"; it took {duration(took[0])} to compile" if len(took) == 1 and took[0] else ""
    return Finding(
        **RULE.at(run, loop.frame, ""),
        message=f"the loop is unrolled: the graph repeats its body {loop.times} times",
        why=f"{loop.operators} of {loop.total} operators in the graph come from it{time}",
        fix=_fix(loop),
        alternatives=(_AT_ONCE,),
        evidence="inspector_dynamo_graph",
    )


def _fix(loop: Unrolled) -> str:
    name = loop.call.rpartition(".")[2]
    if loop.call and loop.is_module:
        how = f"call `{loop.call}.compile()`"
    elif loop.call:
        how = f"decorate `{name}` with `@torch.compile`"
    else:
        how = "move it into a function decorated with `@torch.compile`"
    return (
        f"Compile only the body of the loop: {how}, and remove torch.compile from around the loop. "
        "The body is compiled once and called in each step."
    )


RULE = UnrolledLoopRule()
