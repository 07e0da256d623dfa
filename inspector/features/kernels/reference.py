"""What a kernel should compute, as the lines of the post-grad graph between its arguments.

The text is Python (``GraphModule.print_readable`` of 2.11 to 2.13), one node a line, and is cut
here, never run.
"""

import ast
import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence

DRAWS = "it draws random numbers"
"""Why a value is not compared that comes from a random number generator."""

# They draw other numbers than the kernel, from the same seed.
_RANDOM = ("inductor_random", "inductor_randint", "inductor_seed", "rand", "bernoulli", "dropout")
SEVERAL = "it writes several values to one element in undefined order"
"""Why a value is not compared that depends on the order in which threads write."""

# Without an operation that takes all of the values together.
_ANY_ORDER = re.compile(r"\.(scatter|scatter_)\.src\(|\.index_put_?\.default\((?!.*True\)$)")
_SYMBOL = re.compile(r'"Sym\((\w+)\)"')
# What a node's annotation says: sizes and strides.
_SHAPE = re.compile(r"\w+\[([^\]]*)\]\[([^\]]*)\]")
_REDUCTION = re.compile(r"torch\.ops\.aten\.(sum|prod|amax|amin|any)\.")
# What a graph calls: operators, and functions of numbers.
_OPERATOR = re.compile(r"torch\.ops\.\w+\.\w+(\.\w+)?|torch\.(sym_\w+|_higher_order_ops\.\w+)")
_CODE = (
    ast.Attribute, ast.BinOp, ast.Call, ast.Compare, ast.Constant, ast.Dict, ast.List, ast.Name,
    ast.Slice, ast.Subscript, ast.Tuple, ast.UnaryOp, ast.cmpop, ast.expr_context, ast.keyword,
    ast.operator, ast.unaryop,
)  # fmt: skip
_FORWARD = re.compile(r"^\s*def forward\(self", re.MULTILINE)


@dataclasses.dataclass(frozen=True, slots=True)
class Reference:
    """Eager PyTorch for one kernel.

    Attributes:
        given: Of these, the ones that the kernel itself has drawn.
        lines: What it does, one assignment each.
        missing: Why it does not give the value of a node, by node.
    """

    inputs: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    missing: Mapping[str, str] = dataclasses.field(default_factory=dict)


class LoweredGraph:
    """The assignments of a post-grad graph, by name; none of one that cannot be read."""

    def __init__(self, graph: str, symbols: Mapping[str, int]) -> None:
        self._assigned: dict[str, str] = {}
        self._needs: dict[str, tuple[str, ...]] = {}
        self._shapes: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        begin = _FORWARD.search(graph)
        text = graph[begin.start() :] if begin else ""
        indent = len(text) - len(text.lstrip())
        code = "\n".join(line[indent:] for line in text.lstrip("\n").split("\n"))
        try:
            function = ast.parse(code).body[0]
        except (SyntaxError, IndexError, MemoryError, RecursionError):
            return
        if not isinstance(function, ast.FunctionDef):
            return
        for argument in function.args.args:
            # A size that changes is an input of the graph; here it has one value.
            text = ast.unparse(argument.annotation or ast.Constant("")).replace("'", '"')
            symbol = _SYMBOL.match(text)
            if symbol and symbol[1] in symbols:
                self._assigned[argument.arg] = str(symbols[symbol[1]])
                self._needs[argument.arg] = ()
        for statement in function.body:
            self._take(statement)

    def reference(self, reads: Iterable[str], writes: Sequence[str]) -> Reference:
        """Cuts what leads from some nodes to others out of the graph."""
        known = set(reads)
        others = known | set(writes)
        # From random numbers, by no known and no other wanted node, whatever is written before.
        drawn = {node for node in writes if self._draws(node, others - {node})}
        known |= drawn
        lines: dict[str, str] = {}
        outputs: list[str] = []
        given = [node for node in writes if node in drawn]
        missing = dict.fromkeys(given, DRAWS)
        for node in writes:
            if node in drawn:
                continue
            assigned = self._between(known, node)
            if not isinstance(assigned, str) and any(map(_ANY_ORDER.search, assigned.values())):
                assigned = SEVERAL
            if isinstance(assigned, str):
                missing[node] = assigned
            else:
                lines |= assigned
                outputs.append(node)
        ordered = [name for name in self._assigned if name in lines]
        used = {*outputs, *(name for line in lines for name in self._needs[line])}
        inputs = tuple(name for name in dict.fromkeys([*reads, *given]) if name in used)
        return Reference(
            inputs=inputs,
            given=tuple(name for name in given if name in inputs),
            lines=tuple(f"{name} = {lines[name]}" for name in ordered),
            outputs=tuple(outputs),
            missing=missing,
        )

    def reduction(self, node: str) -> str | None:
        """The reduction that a node is (``sum``, …), if its parts can be put together."""
        found = _REDUCTION.match(self._assigned.get(node, ""))
        return found[1] if found else None

    def shape(self, node: str) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Size and stride of a node's value, where the graph says them in numbers."""
        return self._shapes.get(node)

    def _take(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name), *_], value=value):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._take_shape(name, statement.annotation)
            case _:
                return
        is_freed = isinstance(value, ast.Constant) and value.value is None
        value = _Devices().visit(value)
        if not is_freed and _is_operators(value):
            names = [node.id for node in ast.walk(value) if isinstance(node, ast.Name)]
            self._assigned[name] = ast.unparse(value)
            self._needs[name] = tuple(dict.fromkeys(names))

    def _take_shape(self, name: str, annotation: ast.expr) -> None:
        text = annotation.value if isinstance(annotation, ast.Constant) else ""
        shape = _SHAPE.match(text) if isinstance(text, str) else None
        if shape:
            places = [[n.strip() for n in part.split(",") if n.strip()] for part in shape.groups()]
            if all(number.isdecimal() for part in places for number in part):
                size, stride = (tuple(map(int, part)) for part in places)
                self._shapes[name] = size, stride

    def _draws(self, node: str, known: set[str]) -> bool:
        """Whether a node comes from random numbers, not by the known ones."""
        waiting, seen = [node], set(known)
        while waiting:
            name = waiting.pop()
            code = self._assigned.get(name, "")
            if any(f".{random}" in code for random in _RANDOM):
                return True
            new = [need for need in self._needs.get(name, ()) if need not in seen]
            seen.update(new)
            waiting += new
        return False

    def _between(self, known: set[str], node: str) -> dict[str, str] | str:
        """The assignments that lead from known nodes to one, or why there are none."""
        lines: dict[str, str] = {}
        waiting = [node]
        while waiting:
            name = waiting.pop()
            if name in lines or (name in known and (name != node or name not in self._assigned)):
                continue
            if name not in self._assigned:
                if name in {"torch", "inf", "nan", "DEVICE"}:
                    continue
                return f"it needs {name}, which the kernel does not take"
            if "self." in self._assigned[name]:
                return f"it needs {self._assigned[name]}, which only the graph contains"
            lines[name] = self._assigned[name]
            waiting += self._needs[name]
        return lines


def _is_operators(value: ast.expr) -> bool:
    """Whether code of a graph only calls operators: it is written into files that people run."""
    nodes = list(ast.walk(value))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    return all(
        _OPERATOR.fullmatch(ast.unparse(node))
        if id(node) in called
        else isinstance(node, _CODE) and not (isinstance(node, ast.Attribute) and "__" in node.attr)
        for node in nodes
    )


class _Devices(ast.NodeTransformer):
    """Puts the name ``DEVICE`` where the graph names a device."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        return ast.Name("DEVICE", ast.Load()) if name == "device" else node
