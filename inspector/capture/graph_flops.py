"""Floating-point operations of a node, most with the formulas of ``torch.utils.flop_counter``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import fx

from inspector.capture.flex_flops import flex_flops, is_flex
from inspector.capture.packed_flops import called, packed_flops

# torch has no formula for these, and one for what they are alike (`mm` of integers).
_AS_OTHERS = {torch.ops.aten._int_mm: torch.ops.aten.mm}  # noqa: SLF001 - its name
_COMPLEX = 4  # multiplications and additions of real numbers for one of complex ones


def flops_of(node: fx.Node) -> int | None:
    """The operations of a node of an ATen graph; None: no formula, or a size is a symbol."""
    if is_flex(node):
        return flex_flops(node)
    target, given, out = called(node)
    if target is None:
        return None
    arguments, named = fx.map_arg(given, lambda item: item.meta.get("val"))
    if not _has_numbers(arguments) or not _has_numbers(named):
        return None
    counted = attention_flops(target, arguments, named)
    if counted is None:
        counted = packed_flops(target, arguments, named, out)
    return _by_formula(target, arguments, named, out) if counted is None else counted


def _by_formula(
    target: torch._ops.OpOverload, arguments: tuple[Any, ...], named: dict[str, Any], out: object
) -> int | None:
    from torch.utils.flop_counter import flop_registry

    packet = target.overloadpacket
    formula = flop_registry.get(_AS_OTHERS.get(packet, packet))
    if formula is None:
        return None
    try:
        if target is torch.ops.aten.convolution_backward.default:
            count = _of_convolution_backward(*arguments)
        else:
            count = formula(*arguments, **named, out_val=out)
    except Exception:  # noqa: BLE001 - a formula of torch's, for arguments it does not expect
        return None
    if type(count) is not int:
        return None
    # Torch's formulas count complex numbers as real ones.
    tensors = (item for item in arguments if isinstance(item, torch.Tensor))
    return _COMPLEX * count if any(item.is_complex() for item in tensors) else count


def _of_convolution_backward(gradient: torch.Tensor, *arguments: Any) -> int:  # noqa: ANN401
    """As many for the gradient of the input as forward, and as many for that of the weight.

    Torch's own formula counts for the weight what a convolution in one group would need
    (`conv_backward_flop` in torch/utils/flop_counter.py, 2.11 to 2.13).
    """
    from torch.utils.flop_counter import flop_registry

    x, weight, _, *settings, mask = arguments
    forward = flop_registry[torch.ops.aten.convolution]
    count = int(forward(x, weight, None, *settings, out_val=gradient))
    asked: list[bool] = list(mask[:2])
    return count * sum(asked)


def _has_numbers(value: Any) -> bool:  # noqa: ANN401
    """Whether all sizes are numbers: to calculate with a symbol could guard on it."""
    leaves = torch.utils._pytree.tree_leaves(value)  # noqa: SLF001 - no public name yet
    sizes = [size for leaf in leaves if isinstance(leaf, torch.Tensor) for size in leaf.shape]
    return all(type(size) is int for size in sizes) and not any(
        isinstance(leaf, torch.SymInt | torch.SymFloat) for leaf in leaves
    )


_BEGINS = "aten::_scaled_dot_product_"


def attention_flops(
    target: Any,  # noqa: ANN401 - an operator
    arguments: Sequence[Any],
    named: Mapping[str, Any],
) -> int | None:
    """The operations of one call, a multiplication and an addition as two.

    Forward these are two products, of queries with keys and of weights with values; backward five
    (the first one again, and two for each gradient but that of the weights: FlashAttention,
    Dao et al. 2022, algorithm 4).
    Tensors are (batch, heads, length, size); None of others, and of what is no fused attention.
    """
    schema = target._schema  # noqa: SLF001 - no public name yet
    if not schema.name.startswith(_BEGINS):
        return None
    values = dict(zip((item.name for item in schema.arguments), arguments, strict=False))
    values.update(named)
    shapes = [tuple(getattr(values.get(name), "shape", ())) for name in ("query", "key", "value")]
    if any(len(shape) != 4 for shape in shapes):  # noqa: PLR2004 - as above
        return None
    (batch, heads, queries, size), key, value = shapes
    keys, out_size = key[-2], value[-1]
    pairs = _below_diagonal(queries, keys) if values.get("is_causal") else queries * keys
    is_backward = "grad_out" in values or "grad_out_" in values
    sizes = 3 * size + 2 * out_size if is_backward else size + out_size
    return int(2 * batch * heads * pairs * sizes)


def _below_diagonal(queries: int, keys: int) -> int:
    """Pairs of a query and a key that is not behind it, both counted from the first one on."""
    square = min(queries, keys)
    return square * (square + 1) // 2 + max(queries - keys, 0) * keys
