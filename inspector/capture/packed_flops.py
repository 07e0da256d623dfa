"""Floating-point operations of a CPU's libraries that take packed weights.

Freezing puts them into the place of ``addmm`` and ``convolution`` (torch/_inductor/fx_passes/
mkldnn_fusion.py, 2.11 to 2.13), and ``torch.utils.flop_counter`` has no formulas for them. A
multiplication and an addition are two operations, as there.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import fx

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


def packed_flops(
    target: torch._ops.OpOverload,
    arguments: Sequence[Any],
    named: Mapping[str, Any],
    out: object,
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
