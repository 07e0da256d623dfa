"""The memory of a call: how much at most, with the compiler and without, and what that is."""

import dataclasses
from collections.abc import Iterator

from inspector.run.kernel import NodeLine

BASE = ("parameter", "buffer", "gradient", "optimizer", "input", "program")
"""What is there before a call, with the compiler and without."""


@dataclasses.dataclass(frozen=True, slots=True)
class PeakTensor:
    """Equal tensors that are allocated at the peak.

    Attributes:
        what: Use of the tensors. Allocated before the call: ``parameter``, ``buffer``,
            ``gradient``, ``optimizer``, ``input``, ``program`` or ``kept`` (held by
            torch-inspector). Allocated by the call: ``saved`` (for the backward pass), ``output``,
            ``gradient``, ``intermediate``, ``workspace`` (of a library), ``loss`` or ``unknown``.
        name: The names of the buffers, the operator, or the parameter.
        number: Number of statements.
        bytes_: Total size of the tensors.
        shape: The shape of each, or nothing.
        dtype: Its dtype, or an empty string.
        lines: The user's lines that compute them, the last computed first.
        in_pool: Whether they are in CUDA graph memory.
    """

    what: str
    name: str = ""
    number: int = 1
    bytes_: int = 0
    shape: tuple[int, ...] = ()
    dtype: str = ""
    lines: tuple[NodeLine, ...] = ()
    in_pool: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class CallMemory:
    """The memory of one call.

    Attributes:
        base_bytes: Memory of the model and the inputs before the call.
        added_bytes: Peak memory allocated by the call on top of ``before_bytes``, without CUDA
            graph pools.
        pool_bytes: Peak memory allocated in CUDA graph pools; 0 without CUDA graphs, None if the
            capture was not observed.
        outside_bytes: Memory allocated before the call that is not part of the model, such as
            library workspaces. It is not included in the peak.
        tensors: Tensors allocated at the peak, largest first.
        curve: Allocated bytes relative to those before the call, after each allocation or free,
            without CUDA graph pools. For a long call, each value is the maximum over several
            events.
        reserved_bytes: Peak memory that the allocator reserved on the device, or None on the CPU.
        reserved_at_peak_bytes: Memory that the allocator has reserved at the peak of allocated
            memory, or None on the CPU.
        free_bytes: Part of the memory reserved at the peak that is not allocated.
        unseen_bytes: Memory that the allocator counts at its peak but that was not observed.
        retries: Number of times that the allocator freed its cache for lack of memory.
        ooms: Number of out-of-memory errors.
        failed: Why the call failed, or an empty string.
        cut: Number of omitted events.
    """

    base_bytes: int
    added_bytes: int
    pool_bytes: int | None
    outside_bytes: int
    tensors: tuple[PeakTensor, ...]
    curve: tuple[int, ...] = ()
    reserved_bytes: int | None = None
    reserved_at_peak_bytes: int | None = None
    free_bytes: int = 0
    unseen_bytes: int = 0
    retries: int = 0
    ooms: int = 0
    failed: str = ""
    cut: int = 0

    @property
    def peak_bytes(self) -> int:
        """Peak memory of the model, the inputs and the call.

        It is too low if a CUDA graph pool is unknown.
        """
        return self.base_bytes + self.added_bytes + (self.pool_bytes or 0)

    @property
    def is_whole(self) -> bool:
        """Whether ``peak_bytes`` covers the complete call and all CUDA graph pools."""
        return not self.failed and not self.cut and self.pool_bytes is not None


@dataclasses.dataclass(frozen=True, slots=True)
class MemoryUse:
    """The memory of a warm call with one input.

    Attributes:
        compiled: The compiled call.
        eager: The eager call, or None.
        pool_reserved_bytes: Memory that CUDA graph pools keep reserved between calls.
        other_devices: Number of other GPUs with tensors, which were not measured.
    """

    compiled: CallMemory
    eager: CallMemory | None
    pool_reserved_bytes: int
    other_devices: int

    @property
    def ratio(self) -> float | None:
        """Compiled peak divided by the eager peak, or None if they are not comparable."""
        eager = self.eager
        is_alike = eager is not None and eager.is_whole and self.compiled.is_whole
        if eager is None or not is_alike or not eager.peak_bytes:
            return None
        return self.compiled.peak_bytes / eager.peak_bytes


_LEAST_SHARE = 0.1
_MUCH_SAVED = 0.3
_LARGE_TENSOR = 0.2
_WIDE = 8192
_HALF = ("bfloat16", "float16")
_MUCH_FREE = 0.25
_LEAST_FREE_BYTES = 64 << 20


@dataclasses.dataclass(frozen=True, slots=True)
class MemoryAdvice:
    """Memory that could be saved.

    Attributes:
        what: What uses the memory, in one sentence without a full stop.
        bytes_: Upper bound on the memory saved, in bytes.
        change: What to change.
    """

    what: str
    bytes_: int
    change: str


def memory_advice(use: MemoryUse) -> list[MemoryAdvice]:
    """Possible savings, largest first."""
    peak = use.compiled.peak_bytes
    found = [*_saved(use.compiled), *_wide(use.compiled), *_pool(use), *_fragmented(use.compiled)]
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
            change, less = "keep it in the model's dtype, which takes half the memory", 2
        else:
            change, less = "compute it and the loss in chunks of rows", 1
        sizes = "×".join(map(str, row.shape))  # noqa: RUF001 - as everywhere in reports
        where = f" of line {row.lines[0].line}" if row.lines else ""
        what = f"the {sizes} tensor{where} is in float32"
        yield MemoryAdvice(what, row.bytes_ // less, change)


def _pool(use: MemoryUse) -> Iterator[MemoryAdvice]:
    if use.pool_reserved_bytes and use.eager is not None:
        yield MemoryAdvice(
            "CUDA graphs keep their reserved memory between calls",
            use.pool_reserved_bytes,
            "to release it between calls, disable CUDA graphs: use "
            '`mode="max-autotune-no-cudagraphs"` or the default mode',
        )


def _fragmented(call: CallMemory) -> Iterator[MemoryAdvice]:
    reserved = call.reserved_at_peak_bytes or 0
    if call.free_bytes >= max(_LEAST_FREE_BYTES, _MUCH_FREE * reserved):
        yield MemoryAdvice(
            f"{call.free_bytes / reserved:.0%} of reserved memory is free but fragmented",
            call.free_bytes,
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True lets segments grow",
        )
