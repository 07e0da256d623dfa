"""How a report says what a call allocates, the same in every format."""

from __future__ import annotations

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
    "parameter": ("parameters", "parameters"),
    "buffer": ("buffers of the model", "buffers of the model"),
    "gradient": ("gradient", "gradients"),
    "optimizer": ("state of optimizers", "state of optimizers"),
    "input": ("inputs", "inputs"),
    "program": ("other tensors of the program", "other tensors of the program"),
    "saved": ("kept for the backward pass", "kept for the backward pass"),
    "output": ("output", "outputs"),
    "returned": ("output, or kept for a backward pass", "outputs, or kept for a backward pass"),
    "intermediate": ("intermediate", "intermediate"),
    "workspace": ("a library's workspace", "a library's workspaces"),
    "loss": ("the sum that --train adds up", "the sum that --train adds up"),
    "pool": ("in CUDA graphs' memory from before", "in CUDA graphs' memory from before"),
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
    compiled = _peak(use.compiled)
    eager = use.eager
    if eager is None:
        return f"{compiled}; unknown in eager"
    if eager.failed:
        return f"{compiled}; the eager call fails ({eager.failed})"
    ratio = use.ratio
    if ratio is None:
        return f"{compiled}, {_peak(eager)} in eager{_not_alike(use)}"
    return f"{compiled}, {_peak(eager)} in eager ({_changed(ratio)})"


def _changed(ratio: float) -> str:
    percent = round(100 * (ratio - 1))
    if percent:
        return f"{percent:+}%"
    return "the same" if ratio == 1 else "<1% difference"


def _peak(call: CallMemory) -> str:
    at_least = "" if call.is_whole else "at least "
    return f"{at_least}{size(call.peak_bytes)}"


def _not_alike(use: MemoryUse) -> str:
    if use.compiled.pool_bytes is None:
        kept = size(use.pool_reserved_bytes)
        return f" (what CUDA graphs use of their {kept} was not seen: no comparison)"
    return " (not all of it was seen: no comparison)"


def memory_facts(use: MemoryUse) -> Iterator[tuple[str, str]]:
    """What the peak is made of, and how it lies in memory."""
    compiled, eager = use.compiled, use.eager
    held = [row for row in compiled.tensors if row.what in BASE and not row.lines and not row.name]
    parts = [f"{_WHATS[row.what][1]} {size(row.bytes_)}" for row in held if not row.in_pool]
    yield "before the call", size(compiled.base_bytes) + (f" ({listed(parts)})" if parts else "")
    added = size(compiled.added_bytes)
    if eager is not None and not eager.failed:
        added += f", {size(eager.added_bytes)} in eager"
    yield "added by the call", added
    if use.pool_reserved_bytes:
        used = compiled.pool_bytes
        known = f"{size(used)} at most" if used is not None else "it was not seen how much"
        kept = size(use.pool_reserved_bytes)
        yield "used by CUDA graphs", f"{known}, of {kept} that they keep between calls"
    yield from _reserved(use)
    reserved = compiled.reserved_at_peak_bytes
    if reserved is not None:
        yield "at the peak", f"{size(compiled.free_bytes)} of {size(reserved)} reserved are free"
    if compiled.retries or compiled.ooms:
        times = f"{count(compiled.retries, 'time')} the allocator gave back what it kept"
        yield "memory was short", f"{times}, {count(compiled.ooms, 'time')} there was none left"
    if compiled.outside_bytes and not use.is_cpu:
        outside = f"{size(compiled.outside_bytes)} that were there before"
        yield "not counted", f"{outside}: libraries' workspaces, and what this tool keeps"
    if compiled.unseen_bytes:
        unseen = size(compiled.unseen_bytes)
        yield "not seen", f"{unseen} of the peak: other threads of the program allocate it"
    if use.other_devices:
        yield "not looked at", f"{count(use.other_devices, 'other GPU')} with tensors"


def _reserved(use: MemoryUse) -> Iterator[tuple[str, str]]:
    compiled, eager = use.compiled, use.eager
    if compiled.reserved_bytes is None:
        return
    text = f"{size(compiled.reserved_bytes + use.pool_reserved_bytes)} compiled"
    if use.pool_reserved_bytes:
        text += f" ({size(use.pool_reserved_bytes)} of it by CUDA graphs)"
    if eager is not None and eager.reserved_bytes is not None:
        text += f", {size(eager.reserved_bytes)} in eager"
    yield "reserved at most", text


def memory_rows(call: CallMemory) -> Iterator[PlacedRow]:
    """What is allocated at the peak: what it is, its size and share, details, and user's lines."""
    whole = call.peak_bytes or 1
    names = short_names(line.file for row in call.tensors for line in row.lines)
    for row in call.tensors:
        share = f"{row.bytes_ / whole:.1%}"
        places = line_texts(row.lines, names)
        words = _WHATS.get(row.what, ("not known what", "not known what"))
        yield words[row.number > 1], size(row.bytes_), share, " · ".join(_detail(row)), places


def _detail(row: PeakTensor) -> Iterator[str]:
    if row.number > 1:
        yield (
            f"{row.number:,} of {size(row.bytes_ // row.number)}"
            if row.shape
            else (f"{row.number:,} tensors")
        )
    if row.name:
        yield listed(row.name.split(", "), _MOST_NAMES)
    if row.shape or row.dtype:
        yield " ".join(filter(None, (TIMES.join(map(str, row.shape)), row.dtype)))
    if row.in_pool:
        yield "in CUDA graphs' memory"


def memory_gains(use: MemoryUse) -> Iterator[tuple[str, str, str]]:
    """What could be saved: up to how much, what it is, and what to change."""
    if use.compiled.failed:
        return
    for item in memory_advice(use):
        yield f"up to {size(item.bytes_)}", item.what, item.change
