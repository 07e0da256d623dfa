"""Loops that tracing unrolled: their body is in the graph once for each time that it ran."""

from __future__ import annotations

import ast
import collections
import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import TypeAlias

from inspector.model.graph import Graph, Node
from inspector.model.stack import StackFrame

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_OF_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
_Key: TypeAlias = tuple[str, int]
_LEAST_TIMES = 16
_LEAST_OPERATORS = 200
_LEAST_SHARE = 0.5


@dataclasses.dataclass(frozen=True, slots=True)
class Unrolled:
    """A loop whose body is in a graph many times.

    Attributes:
        frame: The line of the loop.
        times: How often its body is there.
        operators: How many operators come of it.
        total: How many the graph has.
        call: What its body calls that most of them come of (``self.cell``), or an empty string.
        is_module: Whether that is a module.
    """

    frame: StackFrame
    times: int
    operators: int
    total: int
    call: str = ""
    is_module: bool = False


@dataclasses.dataclass(slots=True)
class _Loop:
    """A loop, with the nodes of its body.

    Attributes:
        frame: Its line.
        around: The loops around it, the outermost first.
        nodes: Each with the depth in its stack at which the loop is.
        own: The nodes of no loop inside of it.
    """

    frame: StackFrame
    around: tuple[_Key, ...]
    nodes: list[tuple[int, Node]] = dataclasses.field(default_factory=list)
    own: list[Node] = dataclasses.field(default_factory=list)

    def operators(self) -> int:
        """How many operators are there of code that is there often."""
        counted = collections.Counter(_place(node) for _, node in self.nodes)
        return sum(number for number in counted.values() if number >= _LEAST_TIMES)

    def times(self) -> int:
        """How often its body is in the graph."""
        nodes = self.own or [node for _, node in self.nodes]
        counted = collections.Counter(collections.Counter(map(_place, nodes)).values())
        # A line with an operator twice has it twice as often.
        return max(counted, key=lambda number: (counted[number], -number))

    def is_over_modules(self) -> bool:
        """Whether the same lines run with several modules."""
        modules: dict[tuple[object, ...], set[object]] = {}
        for _, node in self.nodes:
            target, own, lines = _place(node)
            modules.setdefault((target, lines), set()).add(own)
        return max(map(len, modules.values())) > 1


def unrolled_loop(graph: Graph, source: Callable[[str], str | None]) -> Unrolled | None:
    """The innermost loop that most operators of a graph come of, where its body is the same code.

    The layers of a ``ModuleList`` are other modules in each step: they do not count, nor does a
    loop over a few.

    Args:
        graph: Dynamo's graph, with whole stacks.
        source: The text of a file, or None.
    """
    nodes = [node for node in graph.nodes if node.is_compute and node.stack]
    least = max(_LEAST_OPERATORS, _LEAST_SHARE * len(nodes))
    if len(nodes) < least:
        return None
    trees = functools.cache(lambda file: _tree(source(file)))
    loops = _loops_of(nodes, functools.cache(lambda file, line: _lines(trees(file), line)))
    found = {
        key: loop
        for key, loop in loops.items()
        if loop.operators() >= least and loop.times() >= _LEAST_TIMES
    }
    for loop in sorted(found.values(), key=lambda loop: -len(loop.around)):
        outer = next((found[key] for key in reversed(loop.around) if key in found), None)
        if outer is None or not _is_once(loop, outer):
            call, is_module = _called(loop, trees)
            return Unrolled(loop.frame, loop.times(), loop.operators(), len(nodes), call, is_module)
    return None


def _loops_of(
    nodes: Sequence[Node], lines: Callable[[str, int], tuple[int, ...]]
) -> dict[_Key, _Loop]:
    found: dict[_Key, _Loop] = {}
    for node in nodes:
        path: list[_Key] = []
        for depth, frame in enumerate(node.stack):
            for line in lines(frame.file, frame.line):
                key = frame.file, line
                if key in path:  # before Python 3.12 a comprehension has a frame of its own
                    found[key].nodes[-1] = depth, node
                    continue
                at = dataclasses.replace(frame, line=line, code="")
                found.setdefault(key, _Loop(at, tuple(path))).nodes.append((depth, node))
                path.append(key)
        if path:
            found[path[-1]].own.append(node)
    return found


def _is_once(loop: _Loop, outer: _Loop) -> bool:
    """Whether the loop around it repeats the code, and not the loop itself."""
    return loop.is_over_modules() if not outer.own else loop.times() <= outer.times()


def _place(node: Node) -> tuple[str, object, object]:
    """What tells the same code with the same modules; another layer of a list is another one."""
    return node.target, node.modules, tuple((frame.file, frame.line) for frame in node.stack)


def _called(loop: _Loop, trees: Callable[[str], ast.Module | None]) -> tuple[str, bool]:
    """The one call in the body that most of it comes of, and whether a module is called."""
    calls: collections.Counter[tuple[str, bool]] = collections.Counter()
    for depth, node in loop.nodes:
        frame, inner = node.stack[depth], node.stack[depth + 1 : depth + 2]
        if inner and inner[0].name not in _OF_COMPREHENSIONS:
            is_module = inner[0].name == "forward"
            calls[_callee(trees(frame.file), frame.line, inner[0].name), is_module] += 1
    ((call, is_module), number), *_ = calls.most_common(1) or [(("", False), 0)]
    return (call, is_module) if number > _LEAST_SHARE * len(loop.nodes) else ("", False)


def _callee(tree: ast.Module | None, line: int, name: str) -> str:
    """How a line writes the function that it calls; empty where it calls several that could be."""
    nodes = ast.walk(tree) if tree is not None else ()
    calls = [node for node in nodes if isinstance(node, ast.Call) and _covers(node, line)]
    written = [node.func for node in calls if isinstance(node.func, ast.Name | ast.Attribute)]
    own = [node for node in written if ast.unparse(node).rpartition(".")[2] == name]
    found = own or [node for node in written if ast.unparse(node).startswith("self.")] or written
    return ast.unparse(found[0]) if len(found) == 1 else ""


def _tree(text: str | None) -> ast.Module | None:
    try:
        return ast.parse(text or "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _lines(tree: ast.Module | None, line: int) -> tuple[int, ...]:
    """The lines of the loops whose body a line is in, in the function that it is in."""
    nodes = [node for node in ast.walk(tree) if _covers(node, line)] if tree else []
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    start = functions[-1].lineno if functions else 0
    return tuple(n.lineno for n in nodes if _repeats(n, line) and n.lineno >= start)  # type: ignore[attr-defined]


def _repeats(node: ast.AST, line: int) -> bool:
    """Whether a node runs a line many times; what it loops over is computed once."""
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        return any(_covers(statement, line) for statement in node.body)
    return isinstance(node, _COMPREHENSIONS)


def _covers(node: ast.AST, line: int) -> bool:
    first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    return first is not None and first <= line <= (last or first)
