"""The memory of a call: how much at most, with the compiler and without, and what that is."""

from __future__ import annotations

import dataclasses

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
        in_pool: Whether they lie in the memory of CUDA graphs.
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
        added_bytes: What it allocates at most, without pools of CUDA graphs.
        pool_bytes: What is allocated at most in pools of CUDA graphs; 0 without, None where the
            capture was not seen.
        outside_bytes: What is allocated before the call and is no part of the model: workspaces of
            libraries, what this tool keeps; no part of the peak.
        tensors: What is allocated at the peak, the largest first.
        curve: Bytes above those before the call, after each allocation and each free, in order; of
            a long call the most of several. Without pools of CUDA graphs.
        reserved_bytes: What the allocator has of the device at most, or None (the CPU).
        reserved_at_peak_bytes: What it has at the peak, or None.
        free_bytes: What of that is not allocated.
        unseen_bytes: What the allocator counts at its peak and nobody saw.
        retries: How often memory was so short that the allocator gave back what it kept.
        ooms: How often it ran out of memory.
        failed: Why the call failed, or an empty string.
        cut: How many events are left out.
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
        eager: The call without the compiler, or None.
        pool_reserved_bytes: What CUDA graphs keep between calls.
        other_devices: How many other GPUs have tensors, which were not looked at.
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
