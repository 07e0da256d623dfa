"""Floating-point operations of FlexAttention: those of the blocks that it computes.

Which blocks these are is in a tensor, of which a compiled graph knows no value; Dynamo holds the
program's own tensors while it compiles.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import fx
from torch._subclasses import FakeTensor
from torch.utils._python_dispatch import _disable_current_modes

from inspector.capture import versions

_FORWARD, _BACKWARD = "flex_attention", "flex_attention_backward"
# Where the numbers of blocks stand in `BlockMask.as_tuple()`, 2.11 to 2.13; sizes of a block and
# the mask's function come last.
_PARTLY, _FULL, _SIZES = 2, 4, slice(-3, -1)
_pairs: dict[str, dict[str, int | None]] = {}
"""Of each compilation, pairs of a query and a key in forward nodes: backward compiles later."""


class _Shapes(NamedTuple):
    """Sizes of a call: batch, heads, queries, keys, and what a query and a value have."""

    batch: int
    heads: int
    queries: int
    keys: int
    size: int
    out: int


def is_flex(node: fx.Node) -> bool:
    """Whether a node is FlexAttention, forward or backward."""
    return _name(node) in {_FORWARD, _BACKWARD}


def flex_flops(node: fx.Node) -> int | None:
    """The operations of one call, counted as `attention_flops` does; None: blocks are not known."""
    shapes = _shapes(node)
    if shapes is None:
        return None
    if _name(node) == _BACKWARD:
        pairs, sizes = _pairs_of_forward(node), 3 * shapes.size + 2 * shapes.out
    else:
        pairs, sizes = _pairs_of(node, shapes), shapes.size + shapes.out
        _pairs.setdefault(versions.compile_id(), {})[node.name] = pairs
    return None if pairs is None else 2 * pairs * sizes


def _name(node: fx.Node) -> str:
    target = node.target
    is_one = isinstance(target, torch._ops.HigherOrderOperator)  # noqa: SLF001 - no public name
    return str(target.__name__) if is_one else ""


def _shapes(node: fx.Node) -> _Shapes | None:
    values = [item.meta.get("val") for item in node.args[:3] if isinstance(item, fx.Node)]
    if len(values) != 3 or not all(isinstance(item, torch.Tensor) for item in values):  # noqa: PLR2004
        return None
    query, key, value = (tuple(item.shape) for item in values)
    sizes = *query[:3], key[2], query[3], value[3]
    return _Shapes._make(sizes) if all(type(size) is int for size in sizes) else None


def _pairs_of(node: fx.Node, shapes: _Shapes) -> int | None:
    mask = _mask(node)
    rows, columns = (int(size) for size in mask[_SIZES])
    every = shapes.batch * shapes.heads * shapes.queries * shapes.keys
    if rows >= shapes.queries and columns >= shapes.keys:  # no mask is one block of everything
        return every
    counted = [_blocks(item, shapes) for item in _own_mask(node, (_PARTLY, _FULL))]
    if not counted or None in counted:
        return None
    return min(every, rows * columns * sum(item or 0 for item in counted))


def _blocks(numbers: object, shapes: _Shapes) -> int | None:
    """How many blocks all heads of all samples have; a mask of one head holds for all of them."""
    if numbers is None:
        return 0
    if not isinstance(numbers, torch.Tensor) or isinstance(numbers, FakeTensor):
        return None
    with _disable_current_modes(), torch.no_grad():
        sharing = shapes.batch * shapes.heads // math.prod(numbers.shape[:-1])
        return int(numbers.sum() * sharing)


def _mask(node: fx.Node) -> Any:
    return next(item for item in node.args if isinstance(item, (tuple, list)) and len(item) > _FULL)


def _own_mask(node: fx.Node, places: tuple[int, ...]) -> Iterator[object]:
    """The program's own tensors of a mask, where Dynamo was given these."""
    earlier = {node.name, *_earlier(node.meta.get("from_node") or ())}
    for own in versions.graph_being_compiled():
        if own.name in earlier and _name(own) == _FORWARD:
            given = [_mask(own)[place] for place in places]
            yield from (versions.example_of(item) if item is not None else None for item in given)
            return


def _earlier(sources: Any) -> Iterator[str]:
    for source in sources:
        yield str(getattr(source, "name", ""))
        yield from _earlier(getattr(source, "from_node", None) or ())


def _pairs_of_forward(node: fx.Node) -> int | None:
    """Those of the forward node that a backward one belongs to: these come in reverse order."""
    forward = list(_pairs.get(versions.compile_id(), {}).values())
    nodes = [item.name for item in node.graph.nodes if _name(item) == _BACKWARD]
    return forward[::-1][nodes.index(node.name)] if len(forward) == len(nodes) else None
