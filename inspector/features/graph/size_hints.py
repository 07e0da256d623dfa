"""Graphs whose symbolic sizes have the values that they had when they were compiled.

Inductor counts bytes at those values, too (``SizeVarAllocator``'s hints).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping

from inspector.records.fusion import Buffer
from inspector.records.graphs import TensorMeta
from inspector.run.cache_entries.relation import size_at
from inspector.run.graph import Graph

_SYMBOL = re.compile(r"[A-Za-z_]\w*")


def symbols_of(graph: Graph) -> list[str]:
    """The symbols in the sizes of its tensors, in order."""
    sizes = (size for node in graph.nodes for tensor in node.tensors for size in tensor.shape)
    texts = dict.fromkeys(size for size in sizes if isinstance(size, str))
    return list(dict.fromkeys(name for text in texts for name in _SYMBOL.findall(text)))


def hinted_graph(graph: Graph, hints: Mapping[str, int]) -> Graph:
    """The graph with numbers for sizes whose symbols all have a value."""
    if not hints:
        return graph
    nodes = (
        dataclasses.replace(node, tensors=tuple(_tensor(item, hints) for item in node.tensors))
        for node in graph.nodes
    )
    return dataclasses.replace(graph, nodes=tuple(nodes))


def hinted_buffers(buffers: Mapping[str, Buffer], hints: Mapping[str, int]) -> Mapping[str, Buffer]:
    """The buffers likewise."""
    if not hints:
        return buffers
    return {
        name: dataclasses.replace(
            buffer, shape=_sizes(buffer.shape, hints), stride=_sizes(buffer.stride, hints)
        )
        for name, buffer in buffers.items()
    }


def _tensor(tensor: TensorMeta, hints: Mapping[str, int]) -> TensorMeta:
    shape, stride = _sizes(tensor.shape, hints), _sizes(tensor.stride, hints)
    return dataclasses.replace(tensor, shape=shape, stride=stride)


def _sizes(sizes: tuple[int | str, ...], hints: Mapping[str, int]) -> tuple[int | str, ...]:
    found = (size_at(size, hints) for size in sizes)
    return tuple(size if value is None else value for size, value in zip(sizes, found, strict=True))
