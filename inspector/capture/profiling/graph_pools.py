"""The memory that CUDA graphs keep for themselves, and who allocates it.

A replay allocates nothing: it runs in memory that was allocated when the graph was captured, in a
pool of its own that nothing else can use. So the capture is watched, by the allocator's own history
(torch.cuda.memory): the profiler that watches the same call for its launches does not see memory.
"""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

import torch

from inspector.capture.profiling.allocations import Allocations
from inspector.capture.profiling.device import uses_cuda, wait
from inspector.capture.profiling.user_lines import generated_files, is_users
from inspector.capture.writer import guarded
from inspector.records.device_profile import LaunchPlace
from inspector.records.memory_profile import HeldBlock, Segment

_TREES = "torch._inductor.cudagraph_trees"
_MOST_EVENTS = 200_000
_ROUNDED_BYTES = 512
"""What sizes of blocks are multiples of (c10/core/AllocatorConfig.h, ``kMinBlockSize``)."""


@dataclasses.dataclass(frozen=True, slots=True)
class Layout:
    """The memory that the allocator has, of one device, and what is allocated in it."""

    segments: tuple[Segment, ...] = ()
    blocks: tuple[HeldBlock, ...] = ()


@dataclasses.dataclass(slots=True)
class Captured:
    """What was allocated in a call that CUDA graphs were captured in.

    Attributes:
        is_known: Whether it was watched to its end.
    """

    before: Layout = Layout()
    after: Layout = Layout()
    allocations: Allocations = dataclasses.field(default_factory=Allocations)
    is_known: bool = False


def layout() -> Layout:
    """The memory of the current device, as it is now."""
    pools = _pools()
    segments, blocks = [], []
    for segment in torch.cuda.memory_snapshot():
        if segment.get("device", 0) != torch.cuda.current_device():
            continue
        address = int(segment["address"])
        is_pool = tuple(segment.get("segment_pool_id") or ()) in pools
        segments.append(Segment(address, int(segment["total_size"]), is_pool))
        for block in segment["blocks"]:
            if block["state"] == "active_allocated":
                blocks.append(HeldBlock(address, int(block["size"])))
            address += int(block["size"])
    return Layout(tuple(segments), tuple(blocks))


def has_cuda_graphs() -> bool:
    """Whether ``torch.compile`` captures CUDA graphs on the current device."""
    return uses_cuda() and bool(_pools())


def _pools() -> set[tuple[int, ...]]:
    """The pools that ``torch.compile`` captures its CUDA graphs in."""
    trees: Any = sys.modules.get(_TREES)
    if trees is None:
        return set()
    manager = trees.get_manager(torch.cuda.current_device(), create_if_none_exists=False)
    return {tuple(manager.cuda_graphs_thread_pool)} if manager is not None else set()


@contextlib.contextmanager
def watched_capture(found: Captured) -> Iterator[None]:
    """Watches a call that may capture CUDA graphs.

    Where there are none, or the program records memory's history itself, nothing is done.
    """
    began = False

    def begin() -> None:
        nonlocal began
        if not uses_cuda() or not _pools() or torch._C._cuda_isHistoryEnabled():  # noqa: SLF001
            return
        found.before = layout()
        torch.cuda.memory._record_memory_history(  # noqa: SLF001 - what torch documents
            "all", context="alloc", stacks="python", max_entries=_MOST_EVENTS
        )
        began = True

    def end() -> None:
        wait()
        try:
            snapshot = torch.cuda.memory._snapshot()  # noqa: SLF001
        finally:
            torch.cuda.memory._record_memory_history(None)  # noqa: SLF001
        found.after = layout()
        _take(snapshot, found.allocations)
        found.is_known = len(found.allocations.events) < _MOST_EVENTS

    guarded("watch what CUDA graphs allocate", begin)
    try:
        yield
    finally:
        if began:
            guarded("read what CUDA graphs allocate", end)


def _take(snapshot: Mapping[str, Any], found: Allocations) -> None:
    """Reads the history; its sizes are those that were asked for, blocks are multiples of 512."""
    generated = generated_files()
    traces = snapshot.get("device_traces") or []
    device = torch.cuda.current_device()
    for event in traces[device] if device < len(traces) else ():
        action = event.get("action")
        if action not in {"alloc", "free_requested"}:
            continue
        size = -(-int(event["size"]) // _ROUNDED_BYTES) * _ROUNDED_BYTES
        place = _place(event.get("frames") or [], generated) if action == "alloc" else None
        found.add(int(event["addr"]), size if action == "alloc" else -size, place)


def _place(frames: list[Mapping[str, Any]], generated: frozenset[str]) -> LaunchPlace:
    """The place that a stack stands for, the innermost frame first."""
    for frame in frames:
        if frame["filename"] in generated:
            return LaunchPlace(file=PurePath(frame["filename"]).stem, line=int(frame["line"]))
    texts = [
        f"{frame['filename']}({frame['line']}): {frame['name']}"
        for frame in reversed(frames)
        if is_users(frame["filename"])
    ]
    return LaunchPlace(frames=tuple(texts))
