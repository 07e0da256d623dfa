"""Which kernel CUDA's scaled_dot_product_attention would choose.

A translation of ``sdp::select_sdp_backend`` of aten/src/ATen/native/transformers/cuda/sdp_utils.cpp
and of the checks in aten/src/ATen/native/transformers/sdp_utils_cpp.h (torch 2.11 to 2.13), whose
order and conditions it keeps. The C++ asks the device that is there; this asks the target.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from typing import Any

import torch

from inspector.shared.gpus import Gpu

FLASH, EFFICIENT, MATH, CUDNN = "flash", "efficient", "math", "cudnn"
_HALF = (torch.float16, torch.bfloat16)
_NEWEST = (12, 1)
_PREFERRED = 90900


@dataclasses.dataclass(frozen=True, slots=True)
class Attention:
    """The arguments of one call."""

    query: Any
    key: Any
    value: Any
    mask: Any
    dropout: float
    is_causal: bool
    enable_gqa: bool

    @property
    def tensors(self) -> tuple[Any, Any, Any]:
        """Query, key and value."""
        return self.query, self.key, self.value

    @property
    def needs_gradient(self) -> bool:
        """Whether one of them requires a gradient, and gradients are on."""
        return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in self.tensors)


def choose(call: Attention, gpu: Gpu, cudnn_version: int) -> str:
    """``cudnn``, ``flash``, ``efficient``, ``math``, or ``error`` where what fits is disabled."""
    checks: dict[str, Callable[[], bool]] = {
        FLASH: lambda: _fits_flash(call, gpu),
        EFFICIENT: lambda: _fits_efficient(call, gpu),
        MATH: torch.backends.cuda.math_sdp_enabled,
        CUDNN: lambda: _fits_cudnn(call, gpu, cudnn_version),
    }
    order = _order(gpu, cudnn_version)
    return next((name for name in order if checks[name]()), "error")


def _order(gpu: Gpu, cudnn_version: int) -> list[str]:
    """``priority_order``: cuDNN first on Hopper and on Blackwell's data-centre parts.

    A user's own order (``sdpa_kernel(…, set_priority=True)``) is what torch then has.
    """
    names = {0: MATH, 1: FLASH, 2: EFFICIENT, 3: CUDNN}
    numbers = map(int, torch._C._get_sdp_priority_order())  # noqa: SLF001 - no other
    order = [names[number] for number in numbers if number in names]
    if (
        # aten/src/ATen/Context.h: the order that nobody has set.
        order == [FLASH, EFFICIENT, MATH, CUDNN]
        and os.environ.get("TORCH_CUDNN_SDPA_DEPRIORITIZED") != "1"
        and cudnn_version >= _PREFERRED
        and gpu.capability in ((9, 0), (10, 0))
    ):
        return [CUDNN, FLASH, EFFICIENT, MATH]
    return order


def _fits_any(call: Attention, gpu: Gpu) -> bool:
    """What flash, efficient and cuDNN check alike."""
    return (
        all(tensor.dim() == 4 for tensor in call.tensors)  # noqa: PLR2004 - check_tensor_shapes
        and all(tensor.shape[2] != 0 for tensor in call.tensors)
        and len({tensor.dtype for tensor in call.tensors}) == 1
        and gpu.capability <= _NEWEST
    )


def _fits_flash(call: Attention, gpu: Gpu) -> bool:
    return (
        torch.backends.cuda.flash_sdp_enabled()
        and _fits_any(call, gpu)
        and call.mask is None
        and len({tensor.shape[-1] for tensor in call.tensors}) == 1
        and call.query.shape[-1] <= 256  # noqa: PLR2004 - check_head_dim_size_flash
        and gpu.capability >= (8, 0)
        and _flash_gradient_fits(call, gpu)
        and not (call.is_causal and call.query.shape[-2] != call.key.shape[-2])
        and call.query.dtype in _HALF
        and _heads_fit(call, supports_gqa=True)
        and _last_strides_are_one(call, ignore_singleton=True)
    )


def _flash_gradient_fits(call: Attention, gpu: Gpu) -> bool:
    """``check_requires_grad_and_head_dim_gt192_constraints_on_sm86_89_or_120``."""
    size = call.query.shape[-1]
    refused = 192 < size <= 224 or (size > 224 and call.dropout > 0)  # noqa: PLR2004 - its numbers
    concerned = (8, 6) <= gpu.capability <= (8, 9) or gpu.capability >= (12, 0)
    return not (call.needs_gradient and concerned and refused)


def _fits_efficient(call: Attention, gpu: Gpu) -> bool:
    dtypes = (*_HALF, torch.float32) if gpu.capability >= (8, 0) else (torch.float16, torch.float32)
    alignment = _gemm_alignment(call, gpu)
    head, key_head, value_head = (tensor.shape[-1] for tensor in call.tensors)
    return (
        torch.backends.cuda.mem_efficient_sdp_enabled()
        and _fits_any(call, gpu)
        and gpu.capability >= (5, 0)
        and head == key_head
        and head % alignment == 0
        and head > 0
        and value_head % alignment == 0
        and value_head > 0
        and _last_strides_are_one(call, ignore_singleton=False)
        and _heads_fit(call, supports_gqa=False)
        and call.query.dtype in dtypes
    )


def _gemm_alignment(call: Attention, gpu: Gpu) -> int:
    """``minimum_gemm_alignment``, in elements."""
    half = call.query.dtype in _HALF
    alignment = 4 if gpu.capability >= (8, 0) else 1
    tensor_cores = gpu.capability >= (8, 0) or (gpu.capability >= (7, 0) and half)
    return max(alignment, 128 // (16 if half else 32)) if tensor_cores else alignment


def _fits_cudnn(call: Attention, gpu: Gpu, version: int) -> bool:
    return (
        version > 0
        and torch.backends.cuda.cudnn_sdp_enabled()
        and _fits_any(call, gpu)
        and _last_strides_are_one(call, ignore_singleton=True)
        and _cudnn_shapes_fit(call, gpu, version)
        and not (torch.are_deterministic_algorithms_enabled() and call.needs_gradient)
        and gpu.capability >= (8, 0)
        and call.query.dtype in _HALF
        and _heads_fit(call, supports_gqa=True)
        and not (call.mask is not None and call.mask.requires_grad)
    )


def _cudnn_shapes_fit(call: Attention, gpu: Gpu, version: int) -> bool:
    """``check_cudnn_tensor_shapes``, for cuDNN 9."""
    heads = (call.query.shape[-1], call.value.shape[-1])
    limit = 256 if version >= 90000 and gpu.capability == (9, 0) else 128  # noqa: PLR2004
    if any(head > limit or head % 8 for head in heads):
        return False
    rows, columns = call.query.shape[2], call.key.shape[2]
    return bool(columns != 1) and not (rows == 1 and call.dropout != 0)


def _heads_fit(call: Attention, *, supports_gqa: bool) -> bool:
    """``check_batch_size_and_num_heads_dense``."""
    if len({tensor.shape[0] for tensor in call.tensors}) > 1:
        return False
    heads, key_heads, value_heads = (tensor.shape[1] for tensor in call.tensors)
    if call.enable_gqa and supports_gqa:
        return bool(key_heads == value_heads and heads % key_heads == 0)
    return bool(heads == key_heads == value_heads)


def _last_strides_are_one(call: Attention, *, ignore_singleton: bool) -> bool:
    """``check_last_dim_stride_equals_1_dense``."""
    others = [tensor for tensor in call.tensors if tensor.stride(-1) != 1]
    return all(ignore_singleton and tensor.shape[-1] == 1 for tensor in others) and (
        call.mask is None or call.mask.stride(-1) == 1
    )
