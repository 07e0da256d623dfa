"""What would make the peak of a call's memory smaller: estimates, each an upper limit."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from inspector.features.profile.memory.memory import CallMemory, MemoryUse, PeakTensor

_LEAST_SHARE = 0.1
_MUCH_SAVED = 0.3
_LARGE_TENSOR = 0.2
_WIDE = 8192
_HALF = ("bfloat16", "float16")
_MUCH_FREE = 0.25
_LEAST_FREE_BYTES = 64 << 20
_SMALL_WORKSPACE_BYTES = 8 << 20


@dataclasses.dataclass(frozen=True, slots=True)
class MemoryAdvice:
    """Memory that need not be.

    Attributes:
        what: What it is, in one sentence, without a full stop.
        bytes_: How much less it would be at most.
        change: What to change.
    """

    what: str
    bytes_: int
    change: str


def memory_advice(use: MemoryUse) -> list[MemoryAdvice]:
    """What could be saved, the most first."""
    peak = use.compiled.peak_bytes
    found = [
        *_saved(use.compiled),
        *_wide(use.compiled),
        *_pool(use),
        *_workspaces(use),
        *_fragmented(use.compiled),
    ]
    least = peak * _LEAST_SHARE
    return sorted((item for item in found if item.bytes_ >= least), key=lambda item: -item.bytes_)


def _saved(call: CallMemory) -> Iterator[MemoryAdvice]:
    saved = sum(row.bytes_ for row in call.tensors if row.what == "saved")
    if saved and saved >= _MUCH_SAVED * call.peak_bytes:
        yield MemoryAdvice(
            f"the forward pass keeps {saved / call.peak_bytes:.0%} of the peak for the backward "
            "pass",
            saved,
            "compute it again instead: `torch.utils.checkpoint.checkpoint` around layers, or "
            "`torch._functorch.config.activation_memory_budget = 0.5`",
        )


def _wide(call: CallMemory) -> Iterator[MemoryAdvice]:
    """A float32 tensor whose rows are as wide as a vocabulary: logits, as a rule."""
    has_half = any(row.dtype in _HALF for row in call.tensors)
    wide = [
        row for row in call.tensors
        if len(row.shape) > 1 and row.shape[-1] >= _WIDE and row.dtype == "float32"
        and row.what not in {"parameter", "buffer", "input", "gradient"}
        and row.bytes_ >= _LARGE_TENSOR * call.peak_bytes
    ]  # fmt: skip
    for row in wide[:1]:
        if has_half:
            change, less = "keep it in the model's dtype: float32 takes twice as much", 2
        else:
            change, less = "compute it, and the loss, in chunks of rows", 1
        yield MemoryAdvice(f"{_shown(row)} is in float32", row.bytes_ // less, change)


def _shown(row: PeakTensor) -> str:
    sizes = "×".join(map(str, row.shape))  # noqa: RUF001 - as everywhere in reports
    where = f" of line {row.lines[0].line}" if row.lines else ""
    return f"a tensor of {sizes}{where}"


def _pool(use: MemoryUse) -> Iterator[MemoryAdvice]:
    if use.pool_reserved_bytes and use.eager is not None:
        yield MemoryAdvice(
            "CUDA graphs keep what they have reserved between calls, whatever a call uses of it",
            use.pool_reserved_bytes,
            "other code can have it between calls without CUDA graphs: "
            '`mode="max-autotune-no-cudagraphs"` or the default mode',
        )


def _workspaces(use: MemoryUse) -> Iterator[MemoryAdvice]:
    """Room that a library has for its own: cuBLAS's is 32 MiB for a stream on Hopper.

    Torch reads its size from the environment (`CublasHandlePool.cpp`: ``:KIB:COUNT``).
    """
    rows = [row for row in use.compiled.tensors if row.what == "workspace"]
    held = sum(row.bytes_ for row in rows)
    saved = sum(max(0, row.bytes_ - row.number * _SMALL_WORKSPACE_BYTES) for row in rows)
    if not use.is_cpu and saved:
        yield MemoryAdvice(
            f"libraries' workspaces are {held / use.compiled.peak_bytes:.0%} of the peak",
            saved,
            "where they are cuBLAS's, CUBLAS_WORKSPACE_CONFIG=:4096:2 in the environment makes one "
            "8 MiB large; products may be slower then",
        )


def _fragmented(call: CallMemory) -> Iterator[MemoryAdvice]:
    reserved = call.reserved_at_peak_bytes or 0
    if call.free_bytes >= max(_LEAST_FREE_BYTES, _MUCH_FREE * reserved):
        yield MemoryAdvice(
            f"{call.free_bytes / reserved:.0%} of what is reserved is free, in pieces",
            call.free_bytes,
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True lets segments grow",
        )
