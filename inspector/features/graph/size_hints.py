"""Graphs whose symbolic sizes have the values that they had when they were compiled.

Inductor counts bytes at those values, too (``SizeVarAllocator``'s hints).
"""

import dataclasses
import re
from collections.abc import Mapping
from typing import TypeVar

from inspector.records.fusion import Buffer
from inspector.records.graphs import TensorMeta
from inspector.run.cache_entries.relation import size_at
from inspector.run.graph import Graph

_T = TypeVar("_T", TensorMeta, Buffer)
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
        dataclasses.replace(node, tensors=tuple(_hinted(item, hints) for item in node.tensors))
        for node in graph.nodes
    )
    return dataclasses.replace(graph, nodes=tuple(nodes))


def hinted_buffers(buffers: Mapping[str, Buffer], hints: Mapping[str, int]) -> Mapping[str, Buffer]:
    """The buffers likewise."""
    return {name: _hinted(item, hints) for name, item in buffers.items()} if hints else buffers


def _hinted(item: _T, hints: Mapping[str, int]) -> _T:
    shape, stride = (
        tuple(size if (value := size_at(size, hints)) is None else value for size in sizes)
        for sizes in (item.shape, item.stride)
    )
    return dataclasses.replace(item, shape=shape, stride=stride)
