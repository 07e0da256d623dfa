"""The bytes that an operator would read and write as a kernel of its own."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.model.graph import Graph, Node

__all__ = ["Traffic", "is_view"]

# Operators of ATen that move nothing: those with an alias of their input as result in
# native_functions.yaml, and what takes one of several results.
_VIEWS = frozenset([
    "alias", "as_strided", "detach", "diagonal", "expand", "expand_as", "getitem", "lift_fresh",
    "movedim", "narrow", "permute", "reshape", "select", "slice", "split", "split_with_sizes",
    "squeeze", "t", "transpose", "unbind", "unfold", "unsqueeze", "unsafe_split",
    "unsafe_split_with_sizes", "unsafe_view", "view", "view_as", "view_as_complex",
    "view_as_real", "_unsafe_view", "_reshape_alias", "real", "imag", "chunk", "flatten",
    "unflatten", "swapaxes", "swapdims",
])  # fmt: skip


def is_view(node: Node) -> bool:
    """Whether an operator of a graph after AOTAutograd gives its input in another shape."""
    parts = node.target.split(".")
    name = parts[1] if parts[0] in {"aten", "prims"} and len(parts) > 1 else parts[-1]
    return name in _VIEWS


class Traffic:
    """Knows the nodes of a graph.

    Args:
        graph: A graph after AOTAutograd.
    """

    def __init__(self, graph: Graph) -> None:
        self._nodes = {node.name: node for node in graph.nodes}
        self._places = {node.name: place for place, node in enumerate(graph.nodes)}

    def in_order(self, names: Iterable[str]) -> tuple[Node, ...]:
        """The operators of these names, each once, in the graph's order."""
        places = sorted({self._places[name] for name in names if name in self._places})
        nodes = list(self._nodes.values())
        return tuple(nodes[place] for place in places if nodes[place].is_compute)

    def bytes_of(self, node: Node) -> int | None:
        """Bytes of its inputs and of what it gives; 0 for a view, None where a size is unknown."""
        if is_view(node):
            return 0
        sizes = [node.bytes_, *(self._read(name) for name in node.inputs)]
        return None if None in sizes else sum(size or 0 for size in sizes)

    def _read(self, name: str) -> int | None:
        """Bytes behind a value; of a view of something smaller (``expand``), the smaller."""
        node = self._nodes.get(name)
        if node is None or not node.tensors:
            return 0
        size = node.bytes_
        if not is_view(node) or not node.inputs:
            return size
        base = self._read(node.inputs[0])
        return None if size is None or base is None else min(size, base) if base else size
