"""Our artifacts about graphs: the nodes of one stage as data."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.fields import items, mappings, natural, number_or_symbol
from inspector.events.payload import Payload

_STAGES = (
    "dynamo", "pre_grad", "joint", "forward", "backward", "inference", "prims", "post_grad",
)  # fmt: skip
# In the names of C++ functions in older recordings: what pybind 3 and 2 put before them
# (pybind11/detail/function_record_pyobject.h), and where torch keeps operators with overloads.
_RECORD = r"(?:pybind11_detail_function_record_\w+|PyCapsule)\."
_RECORDS = re.compile(rf"^torch\._ops\.(?=\w+\.{_RECORD})|{_RECORD}")
GRAPH_NODES = tuple(f"inspector_{stage}_graph" for stage in _STAGES)
"""The artifacts' names; `inspector.capture.stages` has torch's; ``prims`` is ours."""


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorGraph:
    """``inspector_<stage>_graph``: stands behind torch's text of it, and stays in the log.

    Attributes:
        stage: ``dynamo``, ``pre_grad``, ``joint``, ``forward``, ``backward``, ``inference``,
            ``prims`` or ``post_grad``.
        text: Where the payload is, or None.
    """

    stage: str
    text: Payload | None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Keeps the place of the payload, and not the payload."""
        payload = envelope.payload
        stage = envelope.name.removeprefix("inspector_").removesuffix("_graph")
        return cls(stage, text=payload and payload.place())


@dataclasses.dataclass(frozen=True, slots=True)
class TensorMeta:
    """A tensor of a graph.

    Attributes:
        dtype: ``float32``, ….
        shape: Its sizes; a size that changes is a symbol's name.
        stride: Its strides likewise; empty where it has none (sparse).
        device: ``cuda:0``, ….
    """

    dtype: str
    shape: tuple[int | str, ...]
    stride: tuple[int | str, ...]
    device: str

    @classmethod
    def of(cls, fields: Mapping[str, object]) -> Self:
        """Reads one tensor."""
        dtype, device = (str(fields.get(key) or "") for key in ("dtype", "device"))
        return cls(dtype, _sizes(fields.get("shape")), _sizes(fields.get("stride")), device)


@dataclasses.dataclass(frozen=True, slots=True)
class GraphNode:
    """A node of a graph.

    Attributes:
        name: Its name, which no other node of the graph has.
        op: ``placeholder``, ``get_attr``, ``call_function``, ``call_method``, ``call_module`` or
            ``output``.
        target: What is called, or taken.
        inputs: Names of the nodes whose values it takes.
        tensors: What it gives.
        stack: The stack that led to it, as Python prints it, or an empty string.
        modules: The modules that it is in, outermost first, each with the name of its class.
        earlier: Names that it had in graphs of earlier stages, Dynamo's first.
        aten: The ATen operator that it was before decompositions, or an empty string.
        is_backward: Whether it belongs to the backward pass.
        flops: Floating-point operations of one call by torch's formulas, or None.
        nested: Names of the nodes of the graph that it is, for a higher-order operator.
        inside: What computes in that graph, if this is the first node to take it.
    """

    name: str
    op: str
    target: str
    inputs: tuple[str, ...]
    tensors: tuple[TensorMeta, ...]
    stack: str
    modules: tuple[tuple[str, str], ...]
    earlier: tuple[str, ...] = ()
    aten: str = ""
    is_backward: bool = False
    flops: int | None = None
    nested: tuple[str, ...] = ()
    inside: tuple[GraphNode, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class RecordedGraph:
    """A graph.

    Attributes:
        nodes: Its nodes, in order.
        is_backward: Of a graph of one pass, whether it is that of the backward pass; else None.
    """

    nodes: tuple[GraphNode, ...]
    is_backward: bool | None = None


def recorded_graph(payload: Payload) -> RecordedGraph:
    """Reads a graph.

    Raises:
        OSError: The log is gone.
        ValueError: It is no JSON (cut off, say).
    """
    found = payload.json()
    fields = found if isinstance(found, dict) else {}
    stacks, modules = items(fields.get("stacks")), items(fields.get("modules"))
    nodes = tuple(_node(node, stacks, modules) for node in mappings(fields.get("nodes")))
    is_backward = fields.get("backward")
    return RecordedGraph(nodes, is_backward if isinstance(is_backward, bool) else None)


def _node(
    fields: Mapping[str, object], stacks: Sequence[object], modules: Sequence[object]
) -> GraphNode:
    name, op, target = (str(fields.get(key) or "") for key in ("name", "op", "target"))
    target = _RECORDS.sub("", target)
    pairs = [items(pair) for pair in items(_at(modules, fields.get("modules")))]
    return GraphNode(
        name=name,
        op=op,
        target=target,
        inputs=tuple(map(str, items(fields.get("inputs")))),
        tensors=tuple(map(TensorMeta.of, mappings(fields.get("tensors")))),
        stack=str(_at(stacks, fields.get("stack")) or ""),
        modules=tuple((str(pair[0]), str(pair[1])) for pair in pairs if len(pair) == 2),  # noqa: PLR2004
        earlier=tuple(map(str, items(fields.get("from")))),
        aten=str(fields.get("aten") or ""),
        is_backward=bool(fields.get("backward")),
        flops=natural(fields.get("flops")),
        nested=tuple(map(str, items(fields.get("nested")))),
        inside=tuple(_node(node, stacks, modules) for node in mappings(fields.get("inside"))),
    )


def _at(values: Sequence[object], place: object) -> object:
    number = natural(place)
    return values[number] if number is not None and number < len(values) else None


def _sizes(value: object) -> tuple[int | str, ...]:
    return tuple(map(number_or_symbol, items(value)))
