"""Our artifact about a graph that Dynamo captured: its nodes as data."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.fields import items, mappings, natural
from inspector.events.payload import Payload

__all__ = ["GraphNode", "InspectorDynamoGraph", "TensorMeta", "graph_nodes"]


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorDynamoGraph:
    """``inspector_dynamo_graph``: stands behind ``dynamo_output_graph``, and stays in the log.

    Attributes:
        text: Where the payload is, or None.
    """

    text: Payload | None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Keeps the place of the payload, and not the payload."""
        payload = envelope.payload
        return cls(text=payload and payload.place())


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
    """

    name: str
    op: str
    target: str
    inputs: tuple[str, ...]
    tensors: tuple[TensorMeta, ...]
    stack: str
    modules: tuple[tuple[str, str], ...]


def graph_nodes(payload: Payload) -> tuple[GraphNode, ...]:
    """Reads the nodes of a graph, in order.

    Raises:
        OSError: The log is gone.
        ValueError: It is no JSON (cut off, say).
    """
    found = payload.json()
    fields = found if isinstance(found, dict) else {}
    stacks, modules = items(fields.get("stacks")), items(fields.get("modules"))
    return tuple(_node(node, stacks, modules) for node in mappings(fields.get("nodes")))


def _node(
    fields: Mapping[str, object], stacks: Sequence[object], modules: Sequence[object]
) -> GraphNode:
    name, op, target = (str(fields.get(key) or "") for key in ("name", "op", "target"))
    pairs = [items(pair) for pair in items(_at(modules, fields.get("modules")))]
    return GraphNode(
        name=name,
        op=op,
        target=target,
        inputs=tuple(map(str, items(fields.get("inputs")))),
        tensors=tuple(map(TensorMeta.of, mappings(fields.get("tensors")))),
        stack=str(_at(stacks, fields.get("stack")) or ""),
        modules=tuple((str(pair[0]), str(pair[1])) for pair in pairs if len(pair) == 2),  # noqa: PLR2004
    )


def _at(values: Sequence[object], place: object) -> object:
    number = natural(place)
    return values[number] if number is not None and number < len(values) else None


def _sizes(value: object) -> tuple[int | str, ...]:
    return tuple(item if isinstance(item, int) else str(item) for item in items(value))
