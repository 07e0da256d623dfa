"""Operators without a fake kernel run for real, with zeros: on the CPU, where the GPU is not there.

Torch finds out with them what shape a result has (``run_fallback_kernel`` in
torch/_subclasses/fake_tensor.py of 2.11 to 2.13, which this follows); the device is not asked for
anything else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch._subclasses import fake_tensor
from torch.utils import _pytree as pytree
from triton.runtime.autotuner import Autotuner, Heuristics
from triton.runtime.jit import JITFunction

from inspector.capture.hooks import nothing, patched
from inspector.capture.source_loader import device_to_cpu


@contextmanager
def fallbacks_on_cpu() -> Iterator[None]:
    """Fallback kernels run on the CPU inside of the ``with``."""
    with mock.patch.object(fake_tensor, "run_fallback_kernel", _run):
        yield


def _run(
    fake_mode: Any,  # noqa: ANN401 - torch is Any to mypy
    func: Any,  # noqa: ANN401
    flat_args: Any,  # noqa: ANN401
    args_spec: Any,  # noqa: ANN401
    orig_not_implemented_exception: RuntimeError,
) -> Any:  # noqa: ANN401
    if torch.Tag.inplace_view in func.tags:
        raise orig_not_implemented_exception
    fakes: dict[int, Any] = {}

    def real(value: Any) -> Any:  # noqa: ANN401
        if not fake_mode.is_our_fake(value):
            return device_to_cpu(value)
        result = torch.zeros_like(value, device="cpu")
        fakes[id(result)] = value
        return result

    with fake_tensor.no_dispatch():
        reals = [real(value) for value in flat_args]
        args, kwargs = pytree.tree_unflatten(reals, args_spec)
        results = func(*args, **kwargs)
    tensors = [value for value in reals if isinstance(value, torch.Tensor)]
    storages = {value._typed_storage()._cdata for value in tensors}  # noqa: SLF001 - as torch

    def fake(value: Any) -> Any:  # noqa: ANN401
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) in fakes:
            return fakes[id(value)]
        if value._typed_storage()._cdata in storages:  # noqa: SLF001
            raise orig_not_implemented_exception
        return fake_mode.fake_tensor_converter.from_real_tensor(fake_mode, value)

    return pytree.tree_map(fake, results)


@contextmanager
def user_kernels_not_launched() -> Iterator[None]:
    """``kernel[grid](…)`` does nothing inside of the ``with``."""
    kinds = (JITFunction, Autotuner, Heuristics)
    with patched(*(mock.patch.object(kind, "run", nothing) for kind in kinds)):
        yield
