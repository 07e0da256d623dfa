"""What Inductor estimates of a Triton kernel: bytes and floating-point operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspector.capture.writer import write_artifact

__all__ = ["write_estimates"]


def write_estimates(name: str, kernel: Any) -> None:  # noqa: ANN401 - torch is Any to mypy
    """Writes ``inspector_triton_kernel``.

    With ``config.profile_bandwidth`` Inductor writes the same into the kernel's source as
    ``kernel_num_gb`` and ``kernel_flop`` (torch/_inductor/codegen/triton.py, 2.11 to 2.13), which
    would then be another source.

    Args:
        name: The kernel's name.
        kernel: What generated it; asked once its source is written.
    """
    write_artifact(
        "triton_kernel",
        {
            "v": 1,
            "name": name,
            "bytes": _estimate(kernel, "estimate_kernel_num_bytes"),
            "flops": _estimate(kernel, "estimate_flops"),
        },
    )


def _estimate(kernel: Any, function: str) -> int | None:  # noqa: ANN401
    estimate: Callable[[], Any] | None = getattr(kernel, function, None)
    try:
        number = None if estimate is None else estimate()
        return None if number is None else int(number)
    except Exception:  # noqa: BLE001 - Inductor asks it of some kinds of kernels alone
        return None
