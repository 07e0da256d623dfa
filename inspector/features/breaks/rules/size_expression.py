"""Symbolic sizes and numbers whose expressions grow in each step of a loop."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.features.graph.reading import captured_graphs
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.run.graph import Graph, Node
from inspector.run.run import Run
from inspector.shared.stack import StackFrame

_LEAST = 50
_ARITHMETIC = ("_operator.", "torch.sym_", "math.")
_PASSED = "Compute the number in the caller and pass it as an argument: it is then one symbol."
_STATIC = (
    "Compile with torch.compile(…, dynamic=False): sizes and numbers are then constants, and each "
    "one is compiled separately."
)


class SizeExpressionRule(Rule[Run, Finding]):
    """A symbolic number becomes a long expression.

    What it means:
        A dynamic size or number is a symbol, and values computed from it are expressions of
        symbols. The rule reports expressions in which symbols occur 50 times or more.

    Why it matters:
        torch simplifies and compares whole expressions. If an expression doubles in each step of a
        loop, so does tracing time: 7 steps of ``n = n * n + n`` took 17 s with torch 2.13, and 5
        steps less than a second.

    Example:
        ``n = n * n + n`` in a loop, or ``x = torch.cat([x, x[: x.shape[0] // 2]])``.

    What to do:
        Compute the number in the caller and pass it as an argument: it is then one symbol. If a
        size grows inside the function, compile with ``dynamic=False``: sizes are then constants,
        and each one is compiled separately.
    """

    id = "long-size-expression"
    severity = Severity.INFO

    def check(self, run: Run) -> Iterator[Finding]:
        """At most one finding for each line."""
        seen: set[StackFrame | None] = set()
        for process in run.processes:
            compilations = (item for frame in process.frames for item in frame.compilations)
            dynamic = {str(item.compile_id) for item in compilations if item.symbols}
            for graph in captured_graphs(process, run.roots, dynamic, recorded=True):
                number, length = longest_expression(graph) or (None, 0)
                if number is not None and length >= _LEAST and number.line not in seen:
                    seen.add(number.line)
                    is_size = is_size_of_new_tensors(graph, number)
                    yield _finding(run, number, length, is_size=is_size)


def _finding(run: Run, number: Node, length: int, *, is_size: bool) -> Finding:
    fixes = (_STATIC,) if is_size else (_PASSED, _STATIC)
    return Finding(
        **RULE.at(run, number.line, ""),
        message=f"a symbolic {'size' if is_size else 'number'} is an expression of at least "
        f"{length} symbols",
        why="each step repeats the expression of the previous step, so tracing time multiplies",
        fix=fixes[0],
        alternatives=fixes[1:],
        evidence="inspector_dynamo_graph",
    )


def longest_expression(graph: Graph) -> tuple[Node, int] | None:
    """The number that depends on most symbols, counted as often as they are written; or None.

    A graph computes a number once for all that use it. Torch writes it out: ``n = n * n + n`` makes
    an expression three times as long in each step.
    """
    lengths: dict[str, int] = {}
    longest: tuple[Node, int] | None = None
    for node in graph.nodes:
        if node.tensors or node.op == "output":
            continue
        lengths[node.name] = sum(lengths.get(name, 0) for name in node.inputs) or 1
        is_arithmetic = node.target.startswith(_ARITHMETIC) and node.stack
        if is_arithmetic and (longest is None or lengths[node.name] > longest[1]):
            longest = node, lengths[node.name]
    return longest


def is_size_of_new_tensors(graph: Graph, number: Node) -> bool:
    """Whether the line of a number makes tensors: their sizes grow, and nobody can pass them."""
    return any(node.tensors and node.line == number.line for node in graph.nodes)


RULE = SizeExpressionRule()
