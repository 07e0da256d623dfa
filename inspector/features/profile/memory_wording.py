"""How a report says what a call allocates, the same in every format."""

from collections.abc import Iterator

from inspector.features.graph.wording import TIMES
from inspector.features.profile.memory.memory import (
    BASE,
    CallMemory,
    MemoryUse,
    PeakTensor,
    memory_advice,
)
from inspector.features.profile.profiled import Profiled
from inspector.report.file_names import PlacedRow, line_texts, short_names
from inspector.report.wording import count, listed, size

_WHATS = {
    "parameter": "parameters",
    "buffer": "model buffers",
    "gradient": "gradients",
    "optimizer": "optimizer state",
    "input": "inputs",
    "program": "other program tensors",
    "saved": "saved for the backward pass",
    "output": "outputs",
    "returned": "outputs, or saved for a backward pass",
    "intermediate": "intermediate",
    "workspace": "library workspaces",
    "loss": "the --train loss",
    "pool": "already in the CUDA graph pool",
}
_MOST_NAMES = 3


def memory_verdict(found: Profiled) -> Iterator[str]:
    """The peak with the compiler and without, in one line."""
    use = found.memory
    if use is not None and use.compiled.failed:
        yield f"Memory of the compiled call is unknown: {use.compiled.failed}"
    elif use is not None:
        yield f"Peak memory {_compared(use)}"


def _compared(use: MemoryUse) -> str:
    compiled, eager, ratio = _peak(use.compiled), use.eager, use.ratio
    if eager is None:
        return f"{compiled}; unknown in eager"
    if eager.failed:
        return f"{compiled}; the eager call fails ({eager.failed})"
    both = f"{compiled}, {_peak(eager)} in eager"
    if ratio is None:
        return f"{both} (incomplete, so not compared)"
    percent = round(100 * (ratio - 1))
    same = "the same" if ratio == 1 else "<1% difference"
    return f"{both} ({f'{percent:+}%' if percent else same})"


def _peak(call: CallMemory) -> str:
    return f"{'' if call.is_whole else 'at least '}{size(call.peak_bytes)}"


def memory_facts(use: MemoryUse) -> Iterator[tuple[str, str]]:
    """What the peak is made of, and how it lies in memory."""
    compiled, eager = use.compiled, use.eager
    held = [row for row in compiled.tensors if row.what in BASE and not row.lines and not row.name]
    parts = [f"{_WHATS[row.what]} {size(row.bytes_)}" for row in held if not row.in_pool]
    yield "before the call", size(compiled.base_bytes) + (f" ({listed(parts)})" if parts else "")
    added = size(compiled.added_bytes)
    if eager is not None and not eager.failed:
        added += f", {size(eager.added_bytes)} in eager"
    yield "added by the call", added
    if use.pool_reserved_bytes:
        used = compiled.pool_bytes
        known = f"at most {size(used)}" if used is not None else "unknown"
        kept = size(use.pool_reserved_bytes)
        yield "used by CUDA graphs", f"{known} of {kept} kept between calls"
    if compiled.reserved_bytes is not None:
        text = f"{size(compiled.reserved_bytes + use.pool_reserved_bytes)} compiled"
        if use.pool_reserved_bytes:
            text += f" ({size(use.pool_reserved_bytes)} for CUDA graphs)"
        if eager is not None and eager.reserved_bytes is not None:
            text += f", {size(eager.reserved_bytes)} in eager"
        yield "peak reserved", text
    reserved = compiled.reserved_at_peak_bytes
    if reserved is not None:
        yield "at the peak", f"{size(compiled.free_bytes)} free of {size(reserved)} reserved"
    yield from _unusual(use)


def _unusual(use: MemoryUse) -> Iterator[tuple[str, str]]:
    compiled = use.compiled
    if compiled.retries or compiled.ooms:
        times = f"the allocator freed its cache {count(compiled.retries, 'time')}"
        yield "memory pressure", f"{times}; {count(compiled.ooms, 'out-of-memory error')}"
    if compiled.unseen_bytes:
        unseen = size(compiled.unseen_bytes)
        yield "not seen", f"{unseen} of the peak, allocated by other threads"
    if use.other_devices:
        yield "not measured", f"{count(use.other_devices, 'other GPU')} with tensors"


def memory_rows(call: CallMemory) -> Iterator[PlacedRow]:
    """What is allocated at the peak: what it is, its size and share, details, and user's lines."""
    whole = call.peak_bytes or 1
    names = short_names(line.file for row in call.tensors for line in row.lines)
    for row in call.tensors:
        share = f"{row.bytes_ / whole:.1%}"
        places = line_texts(row.lines, names)
        what = _WHATS.get(row.what, "unknown")
        yield what, size(row.bytes_), share, " · ".join(_detail(row)), places


def _detail(row: PeakTensor) -> Iterator[str]:
    if row.number > 1:
        each = f"of {size(row.bytes_ // row.number)}" if row.shape else "tensors"
        yield f"{row.number:,} {each}"
    if row.name:
        yield listed(row.name.split(", "), _MOST_NAMES)
    if row.shape or row.dtype:
        yield " ".join(filter(None, (TIMES.join(map(str, row.shape)), row.dtype)))
    if row.in_pool:
        yield "in the CUDA graph pool"


def memory_gains(use: MemoryUse) -> Iterator[str]:
    """What could be saved: up to how much, what it is, and what to change."""
    for item in memory_advice(use) if not use.compiled.failed else ():
        yield f"up to {size(item.bytes_)}: {item.what}. Fix: {item.change}"
