"""The readable text of a graph, as ``GraphModule.print_readable`` prints it."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator

__all__ = ["GraphText", "TextNode", "TextTensor", "parse_graph"]

# `f32[8, 64][64, 1]cpu`, in torch/fx/graph.py; a symbol can stand for any number.
_TENSOR = re.compile(
    r"(?P<dtype>[a-z]\w*)\[(?P<shape>[^\]]*)\](?:\[(?P<stride>[^\]]*)\])?(?P<device>[\w:]*)"
)


@dataclasses.dataclass(frozen=True, slots=True)
class TextTensor:
    """What a graph's text says of a tensor.

    Attributes:
        dtype: In torch's short spelling (``f32``).
        shape: Sizes as texts: numbers, symbols or expressions of them.
        stride: Strides as texts, or None.
        device: The device, or an empty string.
    """

    dtype: str
    shape: tuple[str, ...]
    stride: tuple[str, ...] | None
    device: str


@dataclasses.dataclass(frozen=True, slots=True)
class TextNode:
    """One assignment.

    Attributes:
        name: The node's name.
        operation: The called function's name with its module (``torch.nn.functional.relu``), a
            method's name with a dot before it (``.sin``), the operator's sign, or an empty string.
        arguments: Names of the nodes that it uses.
        tensor: What it is, or None.
    """

    name: str
    operation: str
    arguments: tuple[str, ...]
    tensor: TextTensor | None


@dataclasses.dataclass(frozen=True, slots=True)
class GraphText:
    """A graph.

    Attributes:
        inputs: The placeholders.
        nodes: Everything else, in order.
        outputs: Names of the nodes that it returns.
    """

    inputs: tuple[TextNode, ...]
    nodes: tuple[TextNode, ...]
    outputs: tuple[str, ...]


def parse_graph(text: str) -> GraphText:
    """Reads the text of a graph; bodies of nested graphs are left out.

    Raises:
        ValueError: It is not the text of a graph.
    """
    try:
        module = ast.parse(text)
    except (SyntaxError, MemoryError) as error:
        message = "the graph is no Python text"
        raise ValueError(message) from error
    classes = [node for node in module.body if isinstance(node, ast.ClassDef)]
    forward = next((found for each in classes for found in _functions(each)), None)
    if forward is None:
        message = "there is no `forward` in the graph"
        raise ValueError(message)
    inputs = tuple(
        TextNode(argument.arg, "", (), _tensor(argument.annotation))
        for argument in forward.args.args[1:]
    )
    returned = [node for node in forward.body if isinstance(node, ast.Return)]
    outputs = tuple(_names(returned[-1].value)) if returned else ()
    return GraphText(inputs, tuple(_nodes(forward.body)), outputs)


def _functions(scope: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    return (
        node for node in scope.body if isinstance(node, ast.FunctionDef) and node.name == "forward"
    )


def _nodes(body: list[ast.stmt]) -> Iterator[TextNode]:
    for statement in body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield _node(statement.target, statement.value, statement.annotation)
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            lets_memory_go = isinstance(statement.value, ast.Constant)  # `x = y = None`
            if not lets_memory_go:
                yield _node(statement.targets[0], statement.value, None)


def _node(target: ast.Name, value: ast.expr | None, annotation: ast.expr | None) -> TextNode:
    return TextNode(target.id, _operation(value), tuple(_names(value)), _tensor(annotation))


def _operation(value: ast.expr | None) -> str:
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr=name)):
            return f"torch.{name}" if owner.id == "torch" else f".{name}"
        case ast.Call(func=function):
            return ast.unparse(function)
        case ast.BinOp(op=operator):
            return type(operator).__name__
        case ast.Subscript():
            return "getitem"
    return ""


def _names(value: ast.expr | None) -> Iterator[str]:
    if value is None:
        return
    called = {id(node.func) for node in ast.walk(value) if isinstance(node, ast.Call)}
    for node in ast.walk(value):
        if isinstance(node, ast.Name) and id(node) not in called and node.id != "torch":
            yield node.id


def _tensor(annotation: ast.expr | None) -> TextTensor | None:
    if not isinstance(annotation, ast.Constant) or not isinstance(annotation.value, str):
        return None
    match = _TENSOR.match(annotation.value)
    if match is None:
        return None
    stride = match["stride"]
    return TextTensor(
        dtype=match["dtype"],
        shape=_sizes(match["shape"]),
        stride=None if stride is None else _sizes(stride),
        device=match["device"],
    )


def _sizes(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
