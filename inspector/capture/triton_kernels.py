"""What Inductor knows of a Triton kernel: its arguments, and its bytes and operations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch

from inspector.capture.triton_arguments import (
    argument_fields,
    numel_fields,
    symbol_hints,
)
from inspector.capture.writer import guarded, write_artifact


def write_kernel(
    name: str,
    kernel: Any,  # noqa: ANN401 - torch is Any to mypy
    nodes: Iterable[Any],
) -> None:
    """Writes ``inspector_triton_kernel``.

    With ``config.profile_bandwidth`` Inductor writes the same into the kernel's source as
    ``kernel_num_gb`` and ``kernel_flop`` (torch/_inductor/codegen/triton.py, 2.11 to 2.13), which
    would then be another source.

    Args:
        name: The kernel's name.
        kernel: What generated it; asked once its source is written.
        nodes: The scheduler's nodes that it computes.
    """
    found: dict[str, object] = {}
    guarded("arguments of a Triton kernel", lambda: found.update(_arguments(kernel, nodes)))
    write_artifact(
        "triton_kernel",
        {
            "v": 1,
            "name": name,
            "bytes": _bytes(kernel, found.get("arguments")),
            "flops": _estimate(kernel, "estimate_flops"),
            **found,
        },
    )


def _arguments(kernel: Any, nodes: Iterable[Any]) -> dict[str, object]:  # noqa: ANN401
    arguments = argument_fields(kernel, nodes)
    symbols, numels = symbol_hints(), numel_fields(kernel)
    return {"arguments": arguments, "numels": numels, "symbols": symbols}


def _bytes(kernel: Any, arguments: Any) -> int | None:  # noqa: ANN401
    """Inductor's estimate, which takes each buffer that is used in place to be read as well.

    One in which the kernel puts two values of its own after each other is written alone.
    """
    estimate = _estimate(kernel, "estimate_kernel_num_bytes")
    unread = [
        math.prod(argument["size"]) * getattr(torch, argument["dtype"][6:]).itemsize
        for argument in arguments or ()
        if argument["name"].startswith("in_out_ptr") and not argument["is_read"]
    ]
    return None if estimate is None else max(0, estimate - sum(unread))


def _estimate(kernel: Any, function: str) -> int | None:  # noqa: ANN401
    estimate: Callable[[], Any] | None = getattr(kernel, function, None)
    try:
        number = None if estimate is None else estimate()
        return None if number is None else int(number)
    except Exception:  # noqa: BLE001 - Inductor asks it of some kinds of kernels alone
        return None
