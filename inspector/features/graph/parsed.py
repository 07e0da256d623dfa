"""The nodes of a graph of which there is torch's text alone."""

import dataclasses

from inspector.records.graphs import TensorMeta
from inspector.run.graph import Node
from inspector.shared.dtypes import find_dtype
from inspector.shared.roots import Roots
from inspector.trace.graph_text import TextNode, parse_graph

# Functions of `operator`, which torch writes as Python writes them, by the names in `ast`.
_OPERATORS = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "FloorDiv": "floordiv",
    "Mod": "mod", "Pow": "pow", "MatMult": "matmul", "BitAnd": "and_", "BitOr": "or_",
    "BitXor": "xor", "LShift": "lshift", "RShift": "rshift", "USub": "neg", "UAdd": "pos",
    "Invert": "invert", "Not": "not_", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge",
    "Eq": "eq", "NotEq": "ne", "Is": "is_", "IsNot": "is_not", "getitem": "getitem",
    "setitem": "setitem",
}  # fmt: skip


def parsed_nodes(text: str, roots: Roots) -> tuple[Node, ...]:
    """Reads the text of a graph; nested graphs are left out.

    Raises:
        ValueError: It is not the text of a graph.
    """
    graph = parse_graph(text)
    inputs = {node.name for node in graph.inputs}
    # Dynamo's `l_x_ = L_x_`: the left side is the name of the node.
    own = {node.arguments[0]: node.name for node in graph.nodes if _is_renamed(node, inputs)}
    nodes = [
        Node(own.get(node.name, node.name), "placeholder", node.name, tensors=_tensors(node.tensor))
        for node in graph.inputs
    ]
    nodes += [_node(node, roots) for node in graph.nodes if not _is_renamed(node, inputs)]
    return (*nodes, Node("output", "output", "output", tuple(dict.fromkeys(graph.outputs))))


def _is_renamed(node: TextNode, inputs: set[str]) -> bool:
    return not node.operation and len(node.arguments) == 1 and node.arguments[0] in inputs


def _node(node: TextNode, roots: Roots) -> Node:
    operation, place = node.operation, node.place
    op = "call_method" if operation.startswith(".") else "call_function"
    if not operation or operation.startswith("self."):
        op = "call_module" if operation else "get_attr"
    # The text has the innermost frame alone, which may be torch's own.
    is_user = place is not None and roots.is_user(place.file) and op != "get_attr"
    return Node(
        name=node.name,
        op=op,
        target=target_of(operation) or node.name,
        inputs=tuple(dict.fromkeys(node.arguments)),
        tensors=_tensors(node.tensor),
        stack=(place,) if place is not None and is_user else (),
    )


def target_of(operation: str) -> str:
    """As the recorder spells it, where the text tells."""
    if operation == "getattr":
        return "builtins.getattr"
    in_place = operation.removeprefix("I")
    if in_place != operation and in_place in _OPERATORS:
        return f"_operator.i{_OPERATORS[in_place].rstrip('_')}"
    if operation in _OPERATORS:
        return f"_operator.{_OPERATORS[operation]}"
    if operation.startswith("torch.ops.higher_order."):
        return operation
    for prefix in ("torch.ops.", "self.", "."):
        operation = operation.removeprefix(prefix)
    return operation


def _tensors(tensor: TensorMeta | None) -> tuple[TensorMeta, ...]:
    if tensor is None:
        return ()
    dtype = find_dtype(tensor.dtype)
    name = dtype.torch_name if dtype else tensor.dtype
    return (dataclasses.replace(tensor, dtype=name),)
