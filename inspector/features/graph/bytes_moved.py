"""The bytes of each buffer that a launch really reads and writes."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from inspector.records.fusion import Buffer, Launch, Operation
from inspector.records.graphs import TensorMeta
from inspector.run.graph import tensor_bytes

_GENERATED = frozenset({"foreach", "pointwise", "reduction"})


def moved_by(
    launch: Launch, operations: Sequence[Operation], is_new: Callable[[str], bool]
) -> Launch:
    """A launch with the bytes that its indices reach, in place of those that Inductor counts.

    Inductor counts most buffers as a whole (see `inspector.capture.fusion.fusion_reach`).

    Args:
        launch: As Inductor counts it.
        is_new: Whether nothing is in a buffer yet, so that a user's kernel does not read it.
    """
    reads = _reached(launch.reads, launch.reached.reads)
    if launch.kind == "user_kernel":
        filled = {name for item in operations for name in item.mutates if is_new(name)}
        reads = {name: size for name, size in reads.items() if name not in filled}
    writes = _reached(launch.writes, launch.reached.writes)
    return _moving(launch, reads, writes)


def with_limits(launch: Launch, read: Mapping[str, int], written: Mapping[str, int]) -> Launch:
    """A launch that moves at most so many bytes of some buffers."""
    reads, writes = (
        {name: min(size, limits.get(name, size)) for name, size in sizes.items()}
        for sizes, limits in ((launch.reads, read), (launch.writes, written))
    )
    return _moving(launch, reads, writes)


def without_removed(launch: Launch, buffers: Mapping[str, Buffer]) -> Launch:
    """A launch without what a generated kernel keeps to itself.

    Inductor removes a buffer that only its own kernel reads, and counts it all the same where that
    kernel is one for several tensors (``ForeachKernelSchedulerNode``, 2.11 to 2.13), or where it
    removes it as late as the kernel is written (a C++ kernel of several loops, an optimizer's say).
    """
    removed = {
        name: size
        for name, size in launch.writes.items()
        if name in buffers and buffers[name].is_removed
    }
    if launch.kind not in _GENERATED or not any(removed.values()):
        return launch
    reads, writes = (
        {name: size for name, size in sizes.items() if name not in removed}
        for sizes in (launch.reads, launch.writes)
    )
    return _moving(launch, reads, writes)


def buffer_bytes(buffer: Buffer | None) -> int:
    """Bytes of all of its elements; 0 where that is not known."""
    meta = buffer and TensorMeta(buffer.dtype, buffer.shape, buffer.stride, buffer.device)
    return (meta and tensor_bytes(meta)) or 0


def _reached(sizes: Mapping[str, int], reached: Mapping[str, int]) -> Mapping[str, int]:
    found = {name: reached.get(name, size) for name, size in sizes.items()}
    # What stands there for the order alone is not read.
    return {name: size for name, size in found.items() if size or not sizes[name]}


def _moving(launch: Launch, reads: Mapping[str, int], writes: Mapping[str, int]) -> Launch:
    more = _sum(reads, writes) - _sum(launch.reads, launch.writes)
    bytes_ = None if launch.bytes_ is None else max(0, launch.bytes_ + more)
    return dataclasses.replace(launch, reads=reads, writes=writes, bytes_=bytes_)


def _sum(reads: Mapping[str, int], writes: Mapping[str, int]) -> int:
    """What is written and read in one kernel moves once."""
    return sum(max(reads.get(name, 0), writes.get(name, 0)) for name in {**reads, **writes})
