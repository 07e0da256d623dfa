"""The layout that cuDNN gives to the result of a convolution, for fake CUDA tensors.

Torch asks its C++ which library does a convolution and in which layout (``conv`` in
torch/_subclasses/fake_impls.py). A CPU build has no cuDNN, and a CUDA build without a GPU refuses
it for bfloat16, because it asks the device for its compute capability. This follows
``cudnn_conv_suggest_memory_format`` in aten/src/ATen/native/ConvUtils.h and ``select_conv_backend``
in Convolution.cpp (2.11 to 2.13). Depthwise kernels of torch's own take and give contiguous
tensors, and so does cuDNN unless an operand has its channels last: which of them runs makes no
difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch._prims_common import suggest_memory_format

from inspector.model.gpus import Gpu

_LAYOUTS = {4: torch.channels_last, 5: torch.channels_last_3d}
_OURS = object()


@contextmanager
def convolutions_of(gpu: Gpu) -> Iterator[None]:
    """Convolutions of CUDA tensors have cuDNN's layout inside of the ``with``."""
    select, layout = torch._C._select_conv_backend, torch._C._conv_determine_backend_memory_format  # noqa: SLF001

    def selected(*args: Any, **options: Any) -> Any:  # noqa: ANN401
        tensor = args[0] if args else options["input"]
        return _OURS if tensor.device.type == "cuda" else select(*args, **options)

    def determined(tensor: Any, weight: Any, backend: Any) -> Any:  # noqa: ANN401
        if backend is not _OURS:
            return layout(tensor, weight, backend)
        return _layout(tensor, weight) if _uses_cudnn(tensor, gpu) else torch.contiguous_format

    with (
        mock.patch.object(torch._C, "_select_conv_backend", selected),  # noqa: SLF001
        mock.patch.object(torch._C, "_conv_determine_backend_memory_format", determined),  # noqa: SLF001
    ):
        yield


def _uses_cudnn(tensor: Any, gpu: Gpu) -> bool:  # noqa: ANN401 - torch is Any to mypy
    if not torch.backends.cudnn.enabled or not tensor.is_floating_point():
        return False
    return tensor.dtype != torch.bfloat16 or gpu.capability >= (8, 0)


def _layout(tensor: Any, weight: Any) -> Any:  # noqa: ANN401
    wanted = _LAYOUTS.get(weight.dim())
    if torch.float64 in (tensor.dtype, weight.dtype):
        return torch.contiguous_format
    found = {suggest_memory_format(tensor), suggest_memory_format(weight)}
    return wanted if wanted in found else torch.contiguous_format
