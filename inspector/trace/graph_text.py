"""The readable text of a graph, as ``GraphModule.print_readable`` prints it."""

import ast
import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence

from inspector.records.graphs import TensorMeta
from inspector.records.stack import StackFrame

# `f32[8, 64][64, 1]cpu`, in torch/fx/graph.py; a symbol can stand for any number.
_TENSOR = re.compile(
    r"(?P<dtype>[a-z]\w*)\[(?P<shape>[^\]]*)\](?:\[(?P<stride>[^\]]*)\])?(?P<device>[\w:]*)"
)

# A traced function has the class's name of its Python function: `class <lambda>(torch.nn.Module):`.
_NO_NAME = re.compile(r"^( *class )<\w+>(?=\(torch\.nn\.Module\):)", re.MULTILINE)
_FLATTENED = "fx_pytree.tree_flatten_spec"
# `# File: model.py:12 in forward, code: return x` stands before the nodes of a line; what is
# recomputed has `ac_graph_id: 4 - PREFER_RECOMPUTE` in front. `# No stacktrace found for following
# nodes` ends it.
_FILE = re.compile(
    r"\s*# (?:[^#]*? )?File: (?P<file>.+?):(?P<line>\d{1,9}) in (?P<name>[^,]+)"
    r"(?:, code: (?P<code>.*))?"
)
_NO_FILE = re.compile(r"\s*# (?:[^#]*? )?No stacktrace found")
# What Python's tokenizer takes for the end of a line; `str.splitlines` knows more.
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclasses.dataclass(frozen=True, slots=True)
class TextNode:
    """One assignment.

    Attributes:
        operation: The called function's name with its module (``torch.nn.functional.relu``), a
            method's name with a dot before it (``.sin``), the operator's name in Python's syntax
            tree (``Add``, ``Gt``; ``IAdd`` in place), ``getitem``, ``setitem`` or ``getattr``;
            empty where an input gets another name, or an attribute of the module is taken.
        arguments: Names of the nodes that it uses: of inputs, and of what stands before it.
        tensor: What it is, with the dtype in torch's short spelling (``f32``), or None.
    """

    name: str
    operation: str
    arguments: tuple[str, ...]
    tensor: TensorMeta | None
    place: StackFrame | None = None
    value: ast.AST | None = dataclasses.field(default=None, compare=False, repr=False)

    @property
    def code(self) -> str:
        """What is assigned, in one line."""
        return ast.unparse(self.value) if self.value is not None else ""


@dataclasses.dataclass(frozen=True, slots=True)
class GraphText:
    """A graph."""

    inputs: tuple[TextNode, ...]
    nodes: tuple[TextNode, ...]
    outputs: tuple[str, ...]


def parse_graph(text: str) -> GraphText:
    """Reads the text of a graph; bodies of nested graphs are left out.

    Raises:
        ValueError: It is not the text of a graph.
    """
    try:
        module = ast.parse(_NO_NAME.sub(r"\1Graph", text))
    except (SyntaxError, MemoryError) as error:
        message = "the graph is not Python code"
        raise ValueError(message) from error
    classes = [node for node in module.body if isinstance(node, ast.ClassDef)]
    functions = [f for each in classes for f in each.body if isinstance(f, ast.FunctionDef)]
    forward = next((each for each in functions if each.name == "forward"), None)
    if forward is None:
        message = "the graph has no `forward`"
        raise ValueError(message)
    inputs = _inputs(forward)
    body = _Body((input_.name for input_ in inputs), [place for _, place in placed_lines(text)])
    nodes = tuple(body.nodes(forward.body))
    returned = [node for node in forward.body if isinstance(node, ast.Return)]
    outputs = body.used(returned[-1].value) if returned else ()
    return GraphText(inputs, nodes, outputs)


def placed_lines(text: str) -> Iterator[tuple[str, StackFrame | None]]:
    """Each line of the code, with the innermost frame that torch printed above it, or None.

    The comments that have these frames are empty lines.
    """
    place = None
    for line in _LINE_END.split(text):
        if file := _FILE.match(line):
            code = (file["code"] or "").strip()
            place = StackFrame(file["file"], int(file["line"]), file["name"], code)
        is_placed = file or _NO_FILE.match(line)
        if is_placed and not file:
            place = None
        yield "" if is_placed else line, place


def _inputs(forward: ast.FunctionDef) -> tuple[TextNode, ...]:
    """The arguments; of the joint graph, what its two lists are taken apart into."""
    tensors = {
        statement.target.id: _tensor(statement.annotation)
        for statement in forward.body
        if isinstance(statement, ast.AnnAssign)
        and statement.value is None
        and isinstance(statement.target, ast.Name)
    }
    for statement in forward.body:
        match statement:
            case ast.Assign(
                targets=[ast.Tuple(elts=names)], value=ast.Call(func=ast.Attribute() as function)
            ) if ast.unparse(function) == _FLATTENED:
                flat = [name.id for name in names if isinstance(name, ast.Name)]
                return tuple(TextNode(name, "", (), tensors.get(name)) for name in flat)
    return tuple(
        TextNode(argument.arg, "", (), _tensor(argument.annotation))
        for argument in forward.args.args[1:]
    )


class _Body:
    """Reads statements; knows the names that stand before them."""

    def __init__(self, names: Iterable[str], places: Sequence[StackFrame | None]) -> None:
        self._names = set(names)
        self._places = places

    def nodes(self, body: list[ast.stmt]) -> Iterator[TextNode]:
        """What is assigned; an operator in place stands before the name of its result."""
        in_place: ast.stmt | None = None
        for statement in body:
            node = self._assigned(statement, in_place)
            if node is not None:
                self._names.add(node.name)
                yield node
            match statement:
                case ast.AugAssign() | ast.Assign(targets=[ast.Subscript(), *_]):
                    in_place = statement
                case _:
                    in_place = None

    def _assigned(self, statement: ast.stmt, before: ast.stmt | None) -> TextNode | None:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                tensor = _tensor(statement.annotation)
            case ast.Assign(targets=[ast.Name(id=name), *_], value=value):
                if isinstance(value, ast.Constant):  # `x = y = None` lets memory go
                    return None
                tensor = None
            case _:
                return None
        source: ast.AST = value
        if before is not None and isinstance(value, ast.Name):
            source = before
        place = self._places[statement.lineno - 1]
        return TextNode(name, self._operation(source), self.used(source), tensor, place, source)

    def _operation(self, value: ast.AST) -> str:
        match value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)):
                return f".{name}" if owner in self._names else f"{owner}.{name}"
            case ast.Call(func=function):
                return ast.unparse(function)
            case ast.Attribute(value=ast.Name(id=owner)):
                return "getattr" if owner in self._names else ""
        return _sign(value)

    def used(self, value: ast.AST | None) -> tuple[str, ...]:
        """The names of nodes in an expression, in order, each as often as it stands there."""
        return tuple(name for name in _names(value) if name in self._names)


def _sign(value: ast.AST) -> str:
    match value:
        case ast.BinOp(op=operator) | ast.UnaryOp(op=operator):
            return type(operator).__name__
        case ast.AugAssign(op=operator):
            return f"I{type(operator).__name__}"
        case ast.Compare(ops=[comparison]):
            return type(comparison).__name__
        case ast.Subscript():
            return "getitem"
        case ast.Assign():
            return "setitem"
    return ""


def _names(value: ast.AST | None) -> Iterator[str]:
    """Depth first, as the text has them; `ast.walk` goes by depth."""
    if isinstance(value, ast.Name):
        yield value.id
    elif value is not None:
        for child in ast.iter_child_nodes(value):
            yield from _names(child)


def _tensor(annotation: ast.expr | None) -> TensorMeta | None:
    if not isinstance(annotation, ast.Constant) or not isinstance(annotation.value, str):
        return None
    match = _TENSOR.match(annotation.value)
    if match is None:
        return None
    sizes, strides = _sizes(match["shape"]), _sizes(match["stride"] or "")
    return TensorMeta(match["dtype"], sizes, strides, match["device"])


def _sizes(text: str) -> tuple[int | str, ...]:
    sizes = (part.strip() for part in text.split(",") if part.strip())
    return tuple(int(size) if size.isdecimal() else size for size in sizes)
