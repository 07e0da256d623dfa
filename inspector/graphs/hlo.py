"""The graph that XLA gets: the instructions of HLO as nodes, with what FX knows of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from inspector.events.hlo_text import (
    NODE_FILE,
    HloComputation,
    HloInstruction,
    HloShape,
    parse_hlo,
)
from inspector.model.dtypes import find_dtype
from inspector.model.graph import Node
from inspector.records.graphs import TensorMeta

_OPS = {"parameter": "placeholder", "constant": "get_attr"}
_MOST_TEXT = 40
_BOOLEAN = "pred"
_OUTPUT = "output"


def hlo_nodes(text: str, fx_nodes: Mapping[str, Node], device: str = "") -> tuple[Node, ...]:
    """The instructions of the entry computation; what it calls stands in the nodes that call it.

    Args:
        text: The module.
        fx_nodes: The nodes of FX's graph that it was made of, by name: they know lines and modules.
        device: Where it runs.

    Raises:
        ValueError: It is no HLO, or cut off.
    """
    computations = parse_hlo(text)
    by_name = {item.name: item for item in computations}
    entry = next(item for item in computations if item.is_entry)
    nodes = [_node(item, by_name, fx_nodes, device) for item in entry.instructions]
    root = next((item for item in entry.instructions if item.is_root), None)
    if root is None:
        return tuple(nodes)
    if root.opcode == "tuple":
        # What is returned is no instruction that computes: other stages call it so, too.
        nodes = [node for node in nodes if node.name != root.name]
        taken = tuple(dict.fromkeys(root.operands))
    else:
        taken = (root.name,)
    return (*nodes, Node(_OUTPUT, _OUTPUT, _OUTPUT, taken))


def _node(
    item: HloInstruction,
    computations: Mapping[str, HloComputation],
    fx_nodes: Mapping[str, Node],
    device: str,
) -> Node:
    node = Node(
        name=item.name,
        op=_OPS.get(item.opcode, "call_function"),
        target=_target(item),
        inputs=tuple(dict.fromkeys(item.operands)),
        tensors=tuple(_tensor(shape, device) for shape in item.shapes),
        aten=_aten(item.op_type),
        nested=tuple(_nested(item, computations)),
    )
    origin = fx_nodes.get(_origin(item))
    if origin is None or not node.is_compute:
        return node
    return dataclasses.replace(
        node,
        stack=origin.stack,
        modules=origin.modules,
        earlier=(origin.name, *(name for name in origin.earlier if name != origin.name)),
        aten=origin.target,
        is_backward=origin.is_backward,
    )


def _origin(item: HloInstruction) -> str:
    """The name of FX's node, where the recorder left it."""
    return item.file.removeprefix(NODE_FILE) if item.file.startswith(NODE_FILE) else ""


def _target(item: HloInstruction) -> str:
    if item.opcode == "constant":
        text = item.text.strip()
        return f"constant({text if len(text) <= _MOST_TEXT else '…'})"
    if item.opcode == "parameter":
        return item.name
    return f"{item.opcode}:{item.kind}" if item.kind else item.opcode


def _aten(op_type: str) -> str:
    """``aten.addmm`` of ``aten__addmm``: torch_xla writes no colons."""
    space, underscores, name = op_type.partition("__")
    return f"{space}.{name}" if underscores and space != "xla" else ""


def _nested(item: HloInstruction, computations: Mapping[str, HloComputation]) -> Iterator[str]:
    for name in item.called:
        if name in computations:
            yield from (inner.name for inner in computations[name].instructions)


def _tensor(shape: HloShape, device: str) -> TensorMeta:
    dtype = None if shape.dtype == _BOOLEAN else find_dtype(shape.dtype)
    name = "bool" if shape.dtype == _BOOLEAN else dtype.torch_name if dtype else shape.dtype
    return TensorMeta(name, shape.sizes, _strides(shape), device)


def _strides(shape: HloShape) -> tuple[int, ...]:
    strides = [0] * len(shape.sizes)
    if sorted(shape.minor_to_major) != list(range(len(shape.sizes))):
        return ()
    step = 1
    for dimension in shape.minor_to_major:
        strides[dimension] = step
        step *= shape.sizes[dimension]
    return tuple(strides)
