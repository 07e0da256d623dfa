"""Attention and convolutions on fake CUDA tensors, as CUDA's libraries do them.

Torch's own operator of attention asks the device for the kernel to take: without CUDA it takes the
plain one, and a CUDA build without a GPU fails. So the operator gets another implementation for
CUDA tensors: that of aten/src/ATen/native/transformers/attention.cpp (torch 2.11 to 2.13), with the
choice made for the target. Autograd and the fake kernels see the chosen operator as they always do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch._prims_common import suggest_memory_format
from torch.nn import functional

from inspector.capture.gpu_target.notes import Notes
from inspector.capture.gpu_target.sdp_choice import CUDNN, EFFICIENT, FLASH, Attention, choose
from inspector.shared.gpus import Gpu

# Both are needed: tensors of inference mode have no autograd key.
_KEYS = ("AutogradCUDA", "CUDA")
# preprocess_mask and pad_last_dim in attention.cpp
_MASK_ALIGNMENT = 8
_HEAD_ALIGNMENT = 8
# convert_boolean_attn_mask_cudnn: the lowest float16, also for bfloat16, where it is rounded.
_CUDNN_HIDDEN = -65504.0


@contextmanager
def attention_of(gpu: Gpu, cudnn_version: int, notes: Notes) -> Iterator[None]:
    """Attention on CUDA tensors is that of a GPU, noted; without cuDNN its version is 0."""

    def attention(  # noqa: PLR0913, PLR0917 - the operator's own arguments
        query: Any,
        key: Any,
        value: Any,
        attn_mask: Any = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,  # noqa: FBT001, FBT002 - the operator's own
        *,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Any:
        call = Attention(query, key, value, attn_mask, dropout_p, is_causal, enable_gqa)
        chosen = choose(call, gpu, cudnn_version)
        notes.attention.append(chosen)
        return _perform(chosen, call, scale)

    library = torch.library.Library("aten", "IMPL")
    try:
        for key in _KEYS:
            library.impl("scaled_dot_product_attention", attention, key)
        yield
    finally:
        library._destroy()  # noqa: SLF001 - what torch's own tests end a library with


def _perform(chosen: str, call: Attention, scale: float | None) -> Any:
    aten = torch.ops.aten
    mask = call.mask
    if mask is not None and mask.dtype == torch.bool:
        # `convert_boolean_attn_mask` and `…_cudnn`: what is false becomes very small.
        hidden = _CUDNN_HIDDEN if chosen == CUDNN else -math.inf
        lowest = torch.scalar_tensor(hidden, dtype=call.query.dtype, device=mask.device)
        mask = torch.where(mask, 0.0, lowest)
    if chosen == CUDNN:
        return aten._scaled_dot_product_cudnn_attention(  # noqa: SLF001 - the operator's name
            *call.tensors, mask, call.needs_gradient, call.dropout, call.is_causal, False,  # noqa: FBT003 - as declared
            scale=scale,
        )[0]  # fmt: skip
    if chosen == FLASH:
        return _flash(call, scale)
    if chosen == EFFICIENT:
        mask = None if mask is None else _aligned(mask, call)
        return aten._scaled_dot_product_efficient_attention(  # noqa: SLF001
            *call.tensors, mask, call.needs_gradient, call.dropout, call.is_causal, scale=scale
        )[0]
    if chosen == "error":
        raise RuntimeError(
            "No viable backend for scaled_dot_product_attention was found. "
            "This is likely due to turning off both the math kernel and the fused kernels."
        )
    return aten._scaled_dot_product_attention_math(  # noqa: SLF001
        *call.tensors, mask, call.dropout, call.is_causal, None, scale=scale,
        enable_gqa=call.enable_gqa,
    )[0]  # fmt: skip


def _flash(call: Attention, scale: float | None) -> Any:
    size = call.query.shape[-1]
    missing = -size % _HEAD_ALIGNMENT
    tensors = call.tensors
    if missing:
        tensors = tuple(functional.pad(tensor, (0, missing)) for tensor in tensors)
    given = 1.0 / math.sqrt(size) if scale is None else scale
    flash = torch.ops.aten._scaled_dot_product_flash_attention  # noqa: SLF001
    out = flash(*tensors, call.dropout, call.is_causal, return_debug_mask=False, scale=given)[0]
    return out[..., :size] if missing else out


def _aligned(mask: Any, call: Attention) -> Any:
    """``preprocess_mask``: strides that are multiples of 8, and the full shape."""
    strides = mask.stride()
    fits = strides[-1] == 1 and all(stride % _MASK_ALIGNMENT == 0 for stride in strides[:-1])
    if not fits:
        size = mask.shape[-1]
        missing = -size % _MASK_ALIGNMENT
        mask = functional.pad(mask, (0, missing))[..., :size] if missing else mask
    shape = (*call.query.shape[:3], call.key.shape[2])
    return mask.expand(shape)


_LAYOUTS = {4: torch.channels_last, 5: torch.channels_last_3d}
_OURS = object()


@contextmanager
def convolutions_of(gpu: Gpu) -> Iterator[None]:
    """Convolutions of CUDA tensors have cuDNN's layout inside of the ``with``.

    Torch asks its C++ which library does a convolution and in which layout (``conv`` in
    torch/_subclasses/fake_impls.py). A CPU build has no cuDNN, and a CUDA build without a GPU
    refuses it for bfloat16. This follows ``cudnn_conv_suggest_memory_format`` in
    aten/src/ATen/native/ConvUtils.h and ``select_conv_backend`` in Convolution.cpp (2.11 to 2.13).
    Depthwise kernels of torch's own give contiguous tensors, as cuDNN does unless an operand has
    its channels last: which of them runs makes no difference.
    """
    select, layout = torch._C._select_conv_backend, torch._C._conv_determine_backend_memory_format  # noqa: SLF001

    def selected(*args: Any, **options: Any) -> Any:
        tensor = args[0] if args else options["input"]
        return _OURS if tensor.device.type == "cuda" else select(*args, **options)

    def determined(tensor: Any, weight: Any, backend: Any) -> Any:
        if backend is not _OURS:
            return layout(tensor, weight, backend)
        is_wide_enough = tensor.dtype != torch.bfloat16 or gpu.capability >= (8, 0)
        is_cudnns = torch.backends.cudnn.enabled and tensor.is_floating_point() and is_wide_enough
        if not is_cudnns or torch.float64 in (tensor.dtype, weight.dtype):
            return torch.contiguous_format
        wanted = _LAYOUTS.get(weight.dim())
        formats = {suggest_memory_format(tensor), suggest_memory_format(weight)}
        return wanted if wanted in formats else torch.contiguous_format

    with (
        mock.patch.object(torch._C, "_select_conv_backend", selected),  # noqa: SLF001
        mock.patch.object(torch._C, "_conv_determine_backend_memory_format", determined),  # noqa: SLF001
    ):
        yield
