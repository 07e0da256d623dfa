"""Reads out of a graph's text what goes into it and what comes out."""

import math
import re
from collections.abc import Iterator, Mapping

from inspector.records.graphs import TensorMeta
from inspector.run.boundary import Boundary, BoundaryTensor
from inspector.run.cache_entries.relation import size_at
from inspector.run.graph_places import GraphPlace
from inspector.shared.dtypes import DTYPES
from inspector.trace.graph_text import GraphText, TextNode, parse_graph

_ITEM_BYTES = {dtype.name: dtype.size_bytes for dtype in DTYPES}
# Dynamo's names of module attributes; with modules inlined they are inputs of the graph.
_OWNED = re.compile(r"(?i).*_(?:parameters|buffers)_")
# What Inductor hands to a library (or to a kernel of its own) and does not fuse through: the
# lowerings registered in torch/_inductor/kernel and those with `make_fallback`.
_NOT_FUSED = re.compile(
    r"(?:linear|bilinear|.*conv.*|\w*mm|b?addbmm|matmul|MatMult|einsum|dot|mv|outer"
    r"|\w*attention\w*|lstm|gru|rnn\w*|(?:arg)?sort|topk|unique\w*|nonzero|searchsorted"
    r"|cholesky\w*|\w*solve\w*|inv|qr|svd\w*|fft\w*|stft|cdist|grid_sampler\w*|cum\w+)_?"
)
_VIEWS = re.compile(
    r"(?:t|view\w*|reshape|permute|transpose|swapaxes|expand\w*|squeeze|unsqueeze|flatten"
    r"|unflatten|getitem|chunk|split\w*|unbind|narrow|select|detach|contiguous|mT|T|movedim)_?"
)

# Read for crossings that nobody measured: about 2 s. A longer log gives its answer without them.
_MOST_TEXT_BYTES = 1 << 24


def graph_inputs(graph: GraphPlace | None) -> tuple[TextNode, ...]:
    """What goes into a captured graph, in order, as its text names it."""
    read = _read(graph)
    return read.inputs if read else ()


def boundaries(
    graphs: Mapping[str, GraphPlace],
    hints: Mapping[str, Mapping[str, int]],
    *,
    is_profiled: bool,
    broke: bool,
) -> dict[str, Boundary]:
    """The boundaries of captured graphs, by compilation; only costs need them, and read texts."""
    size_bytes = sum(graph.text.length_bytes for graph in graphs.values() if graph.text)
    if not is_profiled and not (broke and size_bytes <= _MOST_TEXT_BYTES):
        return {}
    texts = {compile_id: _read(graph) for compile_id, graph in graphs.items()}
    return {
        compile_id: make_boundary(text, hints.get(compile_id, {}))
        for compile_id, text in texts.items()
        if text is not None
    }


def _read(graph: GraphPlace | None) -> GraphText | None:
    try:
        return parse_graph(graph.text.text()) if graph and graph.text else None
    except (ValueError, SyntaxError, RecursionError):
        return None  # it was cut off: what crosses there is not known


def make_boundary(graph: GraphText, hints: Mapping[str, int]) -> Boundary:
    """The boundary of a graph; tensors of unknown size are left out."""
    by_name = {node.name: node for node in (*graph.inputs, *graph.nodes)}
    inputs = {node.name for node in graph.inputs}
    read = _Readers(graph)
    return Boundary(
        inputs=tuple(
            tensor
            for node in graph.inputs
            if not _OWNED.match(node.name)
            for tensor in _tensors(node.tensor, hints, is_fusible=read.is_fused(node.name))
        ),
        outputs=tuple(
            tensor
            for name in dict.fromkeys(graph.outputs)
            for source in [_source(name, by_name)]
            if name in by_name and source not in inputs
            for tensor in _tensors(
                by_name[name].tensor, hints, is_fusible=_is_fused(by_name.get(source))
            )
        ),
    )


class _Readers:
    """Who reads a value, through views and other names of it."""

    def __init__(self, graph: GraphText) -> None:
        self._readers: dict[str, list[TextNode]] = {}
        for node in graph.nodes:
            for name in node.arguments:
                self._readers.setdefault(name, []).append(node)

    def is_fused(self, name: str) -> bool:
        """Whether any reader could be part of a fused kernel."""
        for node in self._readers.get(name, ()):
            passes_on = not node.operation or _VIEWS.fullmatch(_short(node))
            if self.is_fused(node.name) if passes_on else _is_fused(node):
                return True
        return False


def _source(name: str, by_name: Mapping[str, TextNode]) -> str:
    """The node that wrote what a view shows."""
    node = by_name.get(name)
    while node is not None and node.arguments:
        if node.operation and not _VIEWS.fullmatch(_short(node)):
            break
        name = node.arguments[0]
        node = by_name.get(name)
    return name


def _is_fused(node: TextNode | None) -> bool:
    return node is not None and bool(node.operation) and not _NOT_FUSED.fullmatch(_short(node))


def _short(node: TextNode) -> str:
    return node.operation.rpartition(".")[2]


def _tensors(
    tensor: TensorMeta | None, hints: Mapping[str, int], *, is_fusible: bool
) -> Iterator[BoundaryTensor]:
    item_bytes = _ITEM_BYTES.get(tensor.dtype) if tensor else None
    if tensor is None or item_bytes is None:
        return
    shape = _numbers(tensor.shape, hints)
    if shape is None:
        return
    stride = _numbers(tensor.stride, hints)
    yield BoundaryTensor(tensor.dtype, shape, stride, math.prod(shape) * item_bytes, is_fusible)


def _numbers(sizes: tuple[int | str, ...], hints: Mapping[str, int]) -> tuple[int, ...] | None:
    values = [size_at(size, hints) for size in sizes]
    known = tuple(value for value in values if value is not None)
    return known if len(known) == len(values) else None
