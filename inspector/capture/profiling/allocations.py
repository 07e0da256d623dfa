"""What a call allocates and frees, each with the statement or line that does it.

Torch's profiler tells of every block of memory; the marks around it say where: statements of
generated code, and lines of the program. Of what an operator of autograd's backward pass allocates
outside of generated code, the line is that of the operator of the forward pass that it belongs to.
"""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

import torch

from inspector.capture.profiling.device import uses_cuda, wait
from inspector.capture.profiling.sequence import Places
from inspector.capture.profiling.user_lines import generated_files, is_users, marked_user_lines
from inspector.capture.profiling.wrapper_lines import marked_lines
from inspector.capture.timeline.trace import HostEvent, Session, Trace, read_trace
from inspector.capture.writer import guarded
from inspector.records.device_profile import LaunchPlace
from inspector.records.memory_profile import HeldBlock, MemoryEvent, Segment

_MEMORY = "[memory]"
_CPU, _CUDA = 0, 1
"""Device types as libkineto's trace has them (c10/core/DeviceType.h)."""


@dataclasses.dataclass(slots=True)
class Allocations:
    """What was allocated and freed, in order."""

    events: list[MemoryEvent] = dataclasses.field(default_factory=list)
    places: dict[LaunchPlace, int] = dataclasses.field(default_factory=dict)

    def add(self, address: int, bytes_: int, place: LaunchPlace | None, reserved: int = 0) -> None:
        """Adds an event; where memory is freed is of no interest."""
        number = -1
        if place is not None and bytes_ > 0:
            place = dataclasses.replace(place, run=0)
            number = self.places.setdefault(place, len(self.places))
        self.events.append(MemoryEvent(address, bytes_, number, reserved))


@contextlib.contextmanager
def watched_memory() -> Iterator[Allocations]:
    """Watches what is allocated on the device while it is entered; the result is there afterwards.

    It is there, too, when what is watched fails.
    """
    found = Allocations()
    session = Session(with_device=False, with_memory=True)
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: read_allocations(session.fields(), found))
        session.start()
        stack.callback(session.stop)
        stack.enter_context(marked_lines())
        stack.enter_context(marked_user_lines(is_users))
        yield found
        wait()


def read_allocations(fields: Mapping[str, Any], found: Allocations) -> None:
    """Reads a trace of libkineto's.

    Args:
        found: Gets what it has of the device that is profiled.
    """
    base_ns = int(fields.get("baseTimeNanoseconds") or 0)
    wanted = (_CUDA, torch.cuda.current_device()) if uses_cuda() else (_CPU, -1)
    host = read_trace(fields).host
    instants: list[tuple[HostEvent, Mapping[str, Any]]] = []
    for event in fields.get("traceEvents", ()):
        given = event.get("args", {})
        if event.get("name") == _MEMORY and _device(given) == wanted:
            at_ns = base_ns + round(float(event["ts"]) * 1e3)
            instant = HostEvent("memory", _MEMORY, int(event["tid"]), at_ns, at_ns)
            instants.append((instant, given))
    instants.sort(key=lambda item: (item[0].start_ns, item[1].get("Ev Idx", 0)))
    trace = Trace([*host, *(event for event, _ in instants)], ())
    places = Places(trace)
    for event, given in instants:
        bytes_ = int(given["Bytes"])
        place = places.of(trace.around(event)) if bytes_ > 0 else None
        found.add(int(given["Addr"]), bytes_, place, int(given.get("Total Reserved") or 0))


def _device(given: Mapping[str, Any]) -> tuple[int, int]:
    kind = int(given.get("Device Type", -1))
    return kind, -1 if kind == _CPU else int(given.get("Device Id", 0))


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
    """What was allocated in a call that CUDA graphs were captured in."""

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
        generated = generated_files()
        traces = snapshot.get("device_traces") or []
        device = torch.cuda.current_device()
        for event in traces[device] if device < len(traces) else ():
            action = event.get("action")
            if action not in {"alloc", "free_requested"}:
                continue
            # That is what was asked for; blocks are multiples of 512.
            size = -(-int(event["size"]) // _ROUNDED_BYTES) * _ROUNDED_BYTES
            place = _place(event.get("frames") or [], generated) if action == "alloc" else None
            found.allocations.add(int(event["addr"]), size if action == "alloc" else -size, place)
        found.is_known = len(found.allocations.events) < _MOST_EVENTS

    guarded("watch what CUDA graphs allocate", begin)
    try:
        yield
    finally:
        if began:
            guarded("read what CUDA graphs allocate", end)


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
