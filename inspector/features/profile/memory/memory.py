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
        what: Of those from before the call, as `inspector.records.memory_profile.HeldBlock.what`;
            else ``saved`` (for the backward pass), ``output``, ``gradient``, ``intermediate``,
            ``workspace`` (of a library), ``loss``, or ``unknown``.
        name: The names of the buffers, the operator, or the parameter.
        number: How many there are.
        bytes_: How much they are together.
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
        base_bytes: What the model and the inputs have before it.
        added_bytes: Peak allocated memory, without CUDA graph pools.
        pool_bytes: What is allocated at most in pools of CUDA graphs; 0 without, None where the
            capture was not seen.
        outside_bytes: What is allocated before the call and is no part of the model: workspaces of
            libraries, what this tool keeps; no part of the peak.
        tensors: Tensors allocated at the peak, largest first.
        curve: Bytes above those before the call, after each allocation and each free, in order; of
            a long call the most of several. Without pools of CUDA graphs.
        reserved_bytes: What the allocator has of the device at most, or None (the CPU).
        reserved_at_peak_bytes: What it has at the peak, or None.
        free_bytes: Unallocated part of it.
        unseen_bytes: What the allocator counts at its peak but was not seen.
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
        """What the model, the inputs and the call have at most; less where a pool is not known."""
        return self.base_bytes + self.added_bytes + (self.pool_bytes or 0)

    @property
    def is_whole(self) -> bool:
        """Whether the peak is that of a whole call, and all of it is known."""
        return not self.failed and not self.cut and self.pool_bytes is not None


@dataclasses.dataclass(frozen=True, slots=True)
class MemoryUse:
    """The memory of a warm call with one input.

    Attributes:
        is_cpu: Whether it is that of the CPU.
        compiled: The compiled call.
        eager: The eager call, or None.
        pool_reserved_bytes: What CUDA graphs keep between calls.
        other_devices: Number of other GPUs with tensors, which were not measured.
    """

    is_cpu: bool
    compiled: CallMemory
    eager: CallMemory | None
    pool_reserved_bytes: int
    other_devices: int

    @property
    def ratio(self) -> float | None:
        """The compiled peak by the eager one, or None where they are not alike."""
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
        what: What it is, in one sentence, without a full stop.
        bytes_: How much less it would be at most.
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
        what = f"a tensor of {sizes}{where} is in float32"
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
