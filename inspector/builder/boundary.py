"""Reads out of a graph's text what goes into it and what comes out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from inspector.events.compile_id import CompileId
from inspector.events.dynamo import CreateSymbol, DynamoOutputGraph
from inspector.events.graph_text import GraphText, TextNode, TextTensor, parse_graph
from inspector.events.payload import Payload
from inspector.model.boundary import Boundary, BoundaryTensor
from inspector.model.dtypes import DTYPES
from inspector.model.symbol_sizes import size_at

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


class Boundaries:
    """Keeps where the texts of graphs are, and the values of symbolic sizes."""

    def __init__(self) -> None:
        self._texts: dict[str, Payload] = {}
        self._hints: dict[str, int] = {}

    def add_hint(self, event: CreateSymbol) -> None:
        """Takes the value of a symbolic size."""
        if isinstance(event.value, int):
            self._hints[event.symbol] = event.value

    def add_graph(self, compile_id: CompileId, event: DynamoOutputGraph) -> None:
        """Takes the place of a graph's text; that of a further attempt replaces it."""
        if event.text is not None:
            self._texts[str(compile_id)] = event.text

    def graph_inputs(self, compile_id: str) -> tuple[TextNode, ...]:
        """What goes into the graph of a compilation, in order, as its text names it."""
        text = self._texts.get(compile_id)
        try:
            return parse_graph(text.text()).inputs if text is not None else ()
        except (ValueError, SyntaxError, RecursionError):
            return ()  # it was cut off

    def boundaries(self, *, is_profiled: bool, broke: bool) -> dict[str, Boundary]:
        """The boundaries of the graphs; they cost reading their texts, and only costs need them.

        Args:
            is_profiled: Whether there are profiles.
            broke: Whether there are graph breaks.
        """
        found: dict[str, Boundary] = {}
        size_bytes = sum(text.length_bytes for text in self._texts.values())
        is_wanted = is_profiled or (broke and size_bytes <= _MOST_TEXT_BYTES)
        for compile_id, text in self._texts.items() if is_wanted else ():
            try:
                found[compile_id] = make_boundary(parse_graph(text.text()), self._hints)
            except (ValueError, SyntaxError, RecursionError):
                continue  # a text that was cut off: what crosses there is not known
        return found


def make_boundary(graph: GraphText, hints: Mapping[str, int]) -> Boundary:
    """The boundary of a graph; tensors of unknown size are left out.

    Args:
        graph: The graph.
        hints: Example values of symbolic sizes.
    """
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
    tensor: TextTensor | None, hints: Mapping[str, int], *, is_fusible: bool
) -> Iterator[BoundaryTensor]:
    item_bytes = _ITEM_BYTES.get(tensor.dtype) if tensor else None
    if tensor is None or item_bytes is None:
        return
    shape = _numbers(tensor.shape, hints)
    if shape is None:
        return
    stride = None if tensor.stride is None else _numbers(tensor.stride, hints)
    yield BoundaryTensor(tensor.dtype, shape, stride, math.prod(shape) * item_bytes, is_fusible)


def _numbers(sizes: tuple[str, ...], hints: Mapping[str, int]) -> tuple[int, ...] | None:
    values = [size_at(size, hints) for size in sizes]
    known = tuple(value for value in values if value is not None)
    return known if len(known) == len(values) else None
