"""Loops that tracing unrolled: their body is in the graph once for each time that it ran."""

import ast
import collections
import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import TypeAlias

from inspector.run.graph import Graph, Node
from inspector.run.source import parsed
from inspector.shared.stack import StackFrame

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_OF_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
_Key: TypeAlias = tuple[str, int]  # a file and a line
LEAST_TIMES = 16
LEAST_OPERATORS = 100
_LEAST_SHARE = 0.5
_GETITEM = "_operator.getitem"


@dataclasses.dataclass(frozen=True, slots=True)
class Unrolled:
    """A loop whose body is in a graph many times.

    Attributes:
        total: How many operators the graph has.
        call: What its body calls that most of them come of (``self.cell``), or an empty string.
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
        around: The loops around it, the outermost first.
        nodes: Each with the depth in its stack at which the loop is.
        own: The nodes of no loop inside of it.
    """

    frame: StackFrame
    around: tuple[_Key, ...]
    nodes: list[tuple[int, Node]] = dataclasses.field(default_factory=list)
    own: list[Node] = dataclasses.field(default_factory=list)

    def often(self) -> list[Node]:
        """The operators of code that is there often."""
        counted = collections.Counter(_place(node) for _, node in self.nodes)
        return [node for _, node in self.nodes if counted[_place(node)] >= LEAST_TIMES]

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
    places = collections.Counter(map(_place, nodes))
    least = max(LEAST_OPERATORS, _LEAST_SHARE * len(nodes))
    if len(nodes) < least or max(places.values(), default=0) < LEAST_TIMES:
        return None
    trees = functools.cache(lambda file: parsed(source(file) or ""))
    loops = _loops_of(nodes, functools.cache(lambda file, line: _lines(trees(file), line)))
    found = {
        key: loop
        for key, loop in loops.items()
        if len(loop.often()) >= least and loop.times() >= LEAST_TIMES
    }
    for loop in sorted(found.values(), key=lambda loop: -len(loop.around)):
        outer = next((found[key] for key in reversed(loop.around) if key in found), None)
        # The loop around it may repeat the code, and not the loop itself.
        is_once = outer is not None and (
            loop.times() <= outer.times() if outer.own else loop.is_over_modules()
        )
        if not is_once:
            size = len(loop.often())
            return Unrolled(loop.frame, loop.times(), size, len(nodes), *_called(loop, trees))
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


def _place(node: Node) -> tuple[str, object, object]:
    """What tells the same code with the same modules; another layer of a list is another one."""
    return node.target, node.modules, tuple((frame.file, frame.line) for frame in node.stack)


def _called(loop: _Loop, trees: Callable[[str], ast.Module | None]) -> tuple[str, bool]:
    """The one call in the body that most of it comes of, and whether a module is called."""
    calls: collections.Counter[tuple[str, bool]] = collections.Counter()
    computing = [item for item in loop.nodes if item[1].target != _GETITEM]
    for depth, node in computing:
        frame, inner = node.stack[depth], node.stack[depth + 1 : depth + 2]
        if inner and inner[0].name not in _OF_COMPREHENSIONS:
            is_module = inner[0].name == "forward"
            calls[_callee(trees(frame.file), frame.line, inner[0].name), is_module] += 1
        elif not inner and node.module:  # torch's own: its frames are left out
            name = node.module.rpartition(".")[2]
            written = map(ast.unparse, _calls(trees(frame.file), frame.line))
            own = [call for call in written if call.rpartition(".")[2] == name]
            calls[next(iter(own), ""), True] += 1
    ((call, is_module), number), *_ = calls.most_common(1) or [(("", False), 0)]
    return (call, is_module) if number > _LEAST_SHARE * len(computing) else ("", False)


def _callee(tree: ast.Module | None, line: int, name: str) -> str:
    """How a line writes the function that it calls; empty where it calls several that could be."""
    written = list(map(ast.unparse, _calls(tree, line)))
    own = [call for call in written if call.rpartition(".")[2] == name]
    found = own or [call for call in written if call.startswith("self.")] or written
    return found[0] if len(found) == 1 else ""


def _calls(tree: ast.Module | None, line: int) -> list[ast.Name | ast.Attribute]:
    nodes = ast.walk(tree) if tree is not None else ()
    calls = [node for node in nodes if isinstance(node, ast.Call) and _covers(node, line)]
    return [node.func for node in calls if isinstance(node.func, ast.Name | ast.Attribute)]


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
