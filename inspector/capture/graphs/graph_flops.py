"""Floating-point operations of a node, most with the formulas of ``torch.utils.flop_counter``.

It has none for a CPU's libraries that take packed weights, which freezing puts into the place of
``addmm`` and ``convolution`` (torch/_inductor/fx_passes/mkldnn_fusion.py, 2.11 to 2.13).
"""

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import fx

from inspector.capture.graphs.flex_flops import flex_flops, is_flex

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
        counted = _packed_flops(target, arguments, named, out)
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


def _of_convolution_backward(gradient: torch.Tensor, *arguments: Any) -> int:
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


def _has_numbers(value: Any) -> bool:
    """Whether all sizes are numbers: to calculate with a symbol could guard on it."""
    leaves = torch.utils._pytree.tree_leaves(value)  # noqa: SLF001 - no public name yet
    sizes = [size for leaf in leaves if isinstance(leaf, torch.Tensor) for size in leaf.shape]
    return all(type(size) is int for size in sizes) and not any(
        isinstance(leaf, torch.SymInt | torch.SymFloat) for leaf in leaves
    )


_BEGINS = "aten::_scaled_dot_product_"


def attention_flops(target: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> int | None:
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


_LIBRARIES = frozenset({"mkl", "mkldnn", "onednn"})
_LINEAR = frozenset({
    "_linear_pointwise", "_mkl_linear", "linear_dynamic_fp16", "linear_relu_dynamic_fp16",
    "qlinear_pointwise",
})  # fmt: skip
_CONVOLUTIONS = frozenset({
    "_convolution_pointwise", "_convolution_pointwise_", "qconv_pointwise", "qconv1d_pointwise",
    "qconv2d_pointwise", "qconv3d_pointwise",
})  # fmt: skip
_TRANSPOSED = "_convolution_transpose_pointwise"
_INPUTS, _WEIGHTS = ("X", "x", "qx"), ("W", "w", "qw")


def called(node: fx.Node) -> tuple[torch._ops.OpOverload | None, tuple[Any, Any], object]:
    """The operator that a node calls, what it is called with, and what it gives.

    Of what Inductor fuses into a CPU's library (a convolution with its ``relu``) the node has a
    function in the place of an operator, which keeps the match with the library's call
    (``_register_unary_fusion_lowering`` in torch/_inductor/fx_passes/mkldnn_fusion.py).
    Of a node that calls none it is None.
    """
    target, out = node.target, node.meta.get("val")
    if isinstance(target, functools.partial) and target.args:
        match = target.args[0]
        for inner in getattr(match, "nodes", ()):
            if _is_library(inner.target):
                given = tuple(match.args), dict(match.kwargs)
                return inner.target, given, inner.meta.get("val", out)
    if isinstance(target, torch._ops.OpOverloadPacket):  # noqa: SLF001 - no public name yet
        target = getattr(target, "default", None)
    found = target if isinstance(target, torch._ops.OpOverload) else None  # noqa: SLF001 - as above
    return found, (node.args, node.kwargs), out


def _is_library(target: object) -> bool:
    is_operator = isinstance(target, torch._ops.OpOverload)  # noqa: SLF001 - as above
    return is_operator and getattr(target, "namespace", "") in _LIBRARIES


def _packed_flops(
    target: torch._ops.OpOverload, arguments: Sequence[Any], named: Mapping[str, Any], out: object
) -> int | None:
    """The operations of a linear layer or a convolution, or None for any other operator.

    How a library packs a weight is its own affair: of a linear layer nothing is asked of it, of a
    convolution the sizes of its kernel.
    """
    if not _is_library(target) or not isinstance(out, torch.Tensor):
        return None
    names = [argument.name for argument in target._schema.arguments]  # noqa: SLF001 - no public name
    given = {**dict(zip(names, arguments, strict=False)), **named}
    x = next((given[name] for name in _INPUTS if name in given), None)
    if not isinstance(x, torch.Tensor):
        return None
    operator = target._opname  # noqa: SLF001 - as above
    if operator in _LINEAR:
        return int(2 * out.numel() * x.shape[-1])
    weight = next((given[name] for name in _WEIGHTS if name in given), None)
    if operator not in {*_CONVOLUTIONS, _TRANSPOSED} or not isinstance(weight, torch.Tensor):
        return None
    one, channels = (x, out.shape[1]) if operator == _TRANSPOSED else (out, x.shape[1])
    return int(2 * one.numel() * channels // given["groups"] * math.prod(weight.shape[2:]))
