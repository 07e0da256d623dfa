"""What Inductor knows of a Triton kernel: its arguments, and its bytes and operations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch

from inspector.capture.triton_arguments import (
    kernel_arguments,
    numel_fields,
    symbol_hints,
)
from inspector.capture.writer import emit, guarded
from inspector.records.kernels import KernelArgument, TritonKernelFacts


def write_kernel(
    name: str,
    kernel: Any,  # noqa: ANN401 - torch is Any to mypy
    nodes: Iterable[Any],
) -> None:
    """Writes ``inspector_triton_kernel``.

    With ``config.profile_bandwidth`` Inductor writes the same into the kernel's source as
    ``kernel_num_gb`` and ``kernel_flop`` (torch/_inductor/codegen/triton.py, 2.11 to 2.13), which
    would then be another source. `nodes` are the scheduler's that the kernel computes.
    """
    arguments: list[KernelArgument] = []
    sizes: dict[str, dict[str, int]] = {}

    def note() -> None:
        arguments.extend(kernel_arguments(kernel, nodes))
        sizes.update(numels=numel_fields(kernel), symbols=symbol_hints())

    guarded("arguments of a Triton kernel", note)
    emit(
        TritonKernelFacts(
            name,
            _bytes(kernel, arguments),
            _estimate(kernel, "estimate_flops"),
            tuple(arguments),
            **sizes,
        )
    )


def _bytes(kernel: Any, arguments: Iterable[KernelArgument]) -> int | None:  # noqa: ANN401
    """Inductor's estimate, which takes each buffer that is used in place to be read as well.

    One in which the kernel puts two values of its own after each other is written alone.
    """
    estimate = _estimate(kernel, "estimate_kernel_num_bytes")
    unread = [
        math.prod(argument.size) * getattr(torch, argument.dtype[6:]).itemsize
        for argument in arguments
        if argument.name.startswith("in_out_ptr") and not argument.is_read
    ]
    return None if estimate is None else max(0, estimate - sum(unread))


def _estimate(kernel: Any, function: str) -> int | None:  # noqa: ANN401
    estimate: Callable[[], Any] | None = getattr(kernel, function, None)
    try:
        number = None if estimate is None else estimate()
        return None if number is None else int(number)
    except Exception:  # noqa: BLE001 - Inductor asks it of some kinds of kernels alone
        return None
