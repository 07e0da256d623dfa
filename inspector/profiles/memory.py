"""The memory of a call: how much at most, with the compiler and without, and what that is."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from inspector.events.launch_place import LaunchPlace
from inspector.events.memory_profile import (
    HeldBlock,
    KnownTensor,
    MemoryEvent,
    MemoryProfile,
    MemorySide,
)
from inspector.kernels.buffers import Buffer, Buffers, result_names, saved_names
from inspector.model.kernel import GraphCode, NodeLine
from inspector.profiles.peak import Fragmentation, Peak, find_peak, fragmentation, in_pools
from inspector.profiles.timed import TimedLaunch, user_place

__all__ = ["BASE", "CallMemory", "CodeLines", "MemoryUse", "PeakTensor", "memory_use"]

BASE = ("parameter", "buffer", "gradient", "optimizer", "input", "program")
"""What is there before a call, with the compiler and without."""
_FORWARD, _BACKWARD = "forward", "backward"


@dataclasses.dataclass(frozen=True, slots=True)
class PeakTensor:
    """Equal tensors that are allocated at the peak.

    Attributes:
        what: Of those from before the call, as `inspector.events.memory_profile.HeldBlock.what`;
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
    name: str
    number: int
    bytes_: int
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
        reserved_bytes: What the allocator has of the device at most, or None (the CPU).
        fragmentation: How memory lies at the peak, or None.
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
    reserved_bytes: int | None = None
    fragmentation: Fragmentation | None = None
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


class CodeLines:
    """Says of a statement of generated code which buffer it allocates, and whose lines fill it.

    Args:
        codes: The generated code, with its buffers.
        launches: What is launched: each statement's lines.
    """

    def __init__(
        self, codes: Sequence[tuple[GraphCode, Buffers]], launches: Iterable[TimedLaunch] = ()
    ) -> None:
        self._codes = {PurePath(code.file).stem: (code, found) for code, found in codes}
        self._lines = {
            (PurePath(item.code.file).stem, item.call.line): item.lines
            for item in launches
            if item.code is not None and item.call is not None
        }
        nodes = (node for code, _ in codes for call in code.calls for node in call.nodes)
        lines = (line for item in self._lines.values() for line in item)
        self._texts = {(node.file, node.line): node.code for node in (*nodes, *lines) if node.code}
        self._saved: dict[str, Mapping[str, str]] = {}
        self._outputs: dict[str, tuple[str, ...]] = {}
        backwards = {code.compile_id: found for code, found in codes if code.direction == _BACKWARD}
        for code, found in codes:
            stem = PurePath(code.file).stem
            other = backwards.get(code.compile_id) if code.direction == _FORWARD else None
            self._saved[stem] = saved_names(found, other) if other is not None else {}
            self._outputs[stem] = result_names(found, other)

    def with_text(self, line: NodeLine) -> NodeLine:
        """A line with its text, where compiled code has it, too."""
        text = line.code or self._texts.get((line.file, line.line), "")
        return dataclasses.replace(line, code=text)

    def knows(self, stem: str) -> bool:
        """Whether the code of a file is there."""
        return stem in self._codes

    def buffer(self, place: LaunchPlace, bytes_: int, peak: LaunchPlace) -> Buffer | None:
        """What a place allocates; `peak` is the place of the peak."""
        _, buffers = self._codes[place.file]
        is_same = peak.file == place.file and peak.line > place.line
        return buffers.at(place.line, bytes_, peak.line if is_same else 0)

    def what(self, stem: str, buffer: Buffer, final: Buffer) -> str:
        """What a buffer is for; `final` has the names that it has later on, too."""
        names = set(final.names)
        direction = self._codes[stem][0].direction
        if not buffer.names:
            return "workspace"
        if names & self._saved[stem].keys():
            return "saved"
        if names & set(self._outputs[stem]):
            # Without its backward pass a forward pass does not say what is kept for it.
            if direction == _FORWARD and not self._saved[stem]:
                return "returned"
            return "gradient" if direction == _BACKWARD else "output"
        return "intermediate"

    def lines(self, stem: str, line: int) -> tuple[NodeLine, ...]:
        """The user's lines that a statement computes; what is computed last stands first."""
        found = self._lines.get((stem, line))
        if found is None:
            calls = self._codes[stem][0].calls
            nodes = [node for call in calls if call.line == line for node in call.nodes]
            found = tuple(node for node in nodes if node.file)
        return found[::-1]


@dataclasses.dataclass(frozen=True, slots=True)
class _Described:
    """What a block is."""

    what: str
    name: str = ""
    shape: tuple[int, ...] = ()
    dtype: str = ""
    lines: tuple[NodeLine, ...] = ()


class _Reading:
    """Describes the blocks of one call.

    Args:
        side: The call.
        code: The generated code.
        functions: The function that each compilation is of.
    """

    def __init__(
        self, side: MemorySide, code: CodeLines, functions: Mapping[str, NodeLine]
    ) -> None:
        self.side = side
        self._code = code
        self._functions = functions
        self._last: dict[int, MemoryEvent] = {event.address: event for event in side.events}
        self._kept = set(map(id, _at_backward(side)))

    def describe(self, event: MemoryEvent, events: Sequence[MemoryEvent], peak: Peak) -> _Described:
        """What an event allocates."""
        place = self.side.place_of(event)
        # What is there after the call is what was put there last.
        is_last = self._last.get(event.address) is event
        known = self.side.left.get(event.address) if is_last else None
        at = self.side.place_of(events[peak.at]) if peak.at >= 0 else LaunchPlace()
        found = self._in_code(event, place, at) if self._code.knows(place.file) else None
        found = found or self._outside(event, place)
        return self._as_known(found, known) if known is not None else found

    def _in_code(
        self, event: MemoryEvent, place: LaunchPlace, peak: LaunchPlace
    ) -> _Described | None:
        buffer = self._code.buffer(place, event.bytes_, peak)
        final = self._code.buffer(place, event.bytes_, LaunchPlace())
        if buffer is None or final is None:
            return None
        what = self._code.what(place.file, buffer, final)
        if what == "intermediate" and id(event) in self._kept:
            what = "saved"  # one of several results of a library's
        filled_by = buffer.filled_by or final.filled_by or place.line
        return _Described(
            what=what,
            name=buffer.names[-1] if buffer.names else "",
            shape=buffer.shape,
            dtype=buffer.dtype,
            lines=self._code.lines(place.file, filled_by),
        )

    def _outside(self, event: MemoryEvent, place: LaunchPlace) -> _Described:
        """What is allocated outside of generated code, or in code that is not there."""
        line = user_place(place)
        if line is None and place.region in self._functions:
            line = self._functions[place.region]
        lines = (self._code.with_text(line),) if line is not None else ()
        name = place.operator.rpartition("::")[2]
        if place.is_loss:
            return _Described("loss", name)
        if not lines and not name and not place.file:
            return _Described("unknown")
        what = "saved" if id(event) in self._kept and not place.file else "intermediate"
        return _Described(what, name, lines=lines)

    @staticmethod
    def _as_known(found: _Described, known: KnownTensor) -> _Described:
        name = known.name or found.name
        return _Described(known.what, name, known.shape, known.dtype, found.lines)


def _at_backward(side: MemorySide) -> Iterable[MemoryEvent]:
    """What the call has allocated, and not freed, when its backward pass begins."""
    live: dict[int, MemoryEvent] = {}
    for event in side.events:
        place = side.place_of(event)
        if place.is_backward and not place.is_loss:
            return live.values()
        live.pop(event.address, None)
        if event.bytes_ > 0:
            live[event.address] = event
    return ()


def memory_use(
    profile: MemoryProfile, code: CodeLines, functions: Mapping[str, NodeLine] | None = None
) -> MemoryUse | None:
    """The memory of a call, or None where the compiled call was not seen.

    Args:
        profile: What was recorded.
        code: The generated code.
        functions: The function that each compilation is of.
    """
    if profile.compiled is None:
        return None
    known = functions or {}
    pool = [item.bytes_ for item in profile.compiled.segments if item.is_pool]
    captured = profile.captured
    compiled = _call(profile.compiled, code, known)
    if pool:
        compiled = _with_pool(compiled, profile.compiled, captured, (code, known))
    eager = _call(profile.eager, code, known) if profile.eager is not None else None
    return MemoryUse(
        is_cpu=profile.device == "cpu",
        compiled=compiled,
        eager=eager,
        pool_reserved_bytes=sum(pool),
        other_devices=profile.other_devices,
    )


def _call(side: MemorySide, code: CodeLines, functions: Mapping[str, NodeLine]) -> CallMemory:
    """The call without pools of CUDA graphs."""
    held, events = _parted(side, in_pool=False)
    peak = find_peak(held, events)
    stats = side.stats
    # The allocator counts what other threads allocate, too; pools have counts of their own.
    walked = find_peak(side.held, side.events).added_bytes
    counted = stats.get("allocated_peak", 0) - stats.get("allocated_before", 0) if stats else walked
    unseen = max(0, counted - walked)
    reading = _Reading(side, code, functions)
    pools = sum(item.bytes_ for item in side.segments if item.is_pool)
    base = sum(block.bytes_ for block in held if block.what in BASE)
    outside = sum(block.bytes_ for block in held) - base
    tensors = [*_held_tensors(held, peak), *_tensors(reading, events, peak)]
    return CallMemory(
        base_bytes=base,
        added_bytes=peak.added_bytes + unseen,
        pool_bytes=0,
        outside_bytes=outside,
        tensors=_ordered(tensors),
        # Pools are the compiled side's: what it has of them is told apart.
        reserved_bytes=stats["reserved_peak"] - pools if "reserved_peak" in stats else None,
        fragmentation=_general(side, held, events, peak) if stats else None,
        unseen_bytes=unseen,
        retries=stats.get("retries", 0),
        ooms=stats.get("ooms", 0),
        failed=side.failed,
        cut=side.cut,
    )


def _general(
    side: MemorySide, held: tuple[HeldBlock, ...], events: Sequence[MemoryEvent], peak: Peak
) -> Fragmentation:
    return fragmentation(dataclasses.replace(side, held=held), events, peak)


def _with_pool(
    call: CallMemory,
    side: MemorySide,
    captured: MemorySide | None,
    known: tuple[CodeLines, Mapping[str, NodeLine]],
) -> CallMemory:
    """Adds what CUDA graphs have: at most when they were captured, or in the call itself."""
    found: list[tuple[int, list[PeakTensor]]] = []
    for item in (captured, side):
        if item is None:
            continue
        held, events = _parted(item, in_pool=True)
        if not events:
            continue
        peak = find_peak(held, events)
        then = sum(block.bytes_ for block in held)
        before = sum(held[number].bytes_ for number in peak.held)
        tensors = [
            dataclasses.replace(row, in_pool=True)
            for row in _tensors(_Reading(item, *known), events, peak)
        ]
        if before:
            tensors.append(PeakTensor("pool", "", len(peak.held), before, in_pool=True))
        found.append((then + peak.added_bytes, tensors))
    if not found:
        return dataclasses.replace(call, pool_bytes=None)
    most, tensors = max(found, key=lambda pair: pair[0])
    return dataclasses.replace(call, pool_bytes=most, tensors=_ordered([*call.tensors, *tensors]))


def _parted(
    side: MemorySide, *, in_pool: bool
) -> tuple[tuple[HeldBlock, ...], tuple[MemoryEvent, ...]]:
    """What is in pools of CUDA graphs, or what is not."""
    inside = in_pools(side.segments, [block.address for block in side.held])
    held = tuple(block for block, is_in in zip(side.held, inside, strict=True) if is_in is in_pool)
    inside = in_pools(side.segments, [event.address for event in side.events])
    events = tuple(
        event for event, is_in in zip(side.events, inside, strict=True) if is_in is in_pool
    )
    return held, events


def _held_tensors(held: Sequence[HeldBlock], peak: Peak) -> Iterator[PeakTensor]:
    found: dict[str, list[int]] = collections.defaultdict(list)
    for number in peak.held:
        if held[number].what in BASE:
            found[held[number].what].append(held[number].bytes_)
    for what, sizes in found.items():
        yield PeakTensor(what, "", len(sizes), sum(sizes))


def _tensors(reading: _Reading, events: Sequence[MemoryEvent], peak: Peak) -> Iterator[PeakTensor]:
    """What the call has allocated, equal ones together."""
    found: dict[object, list[tuple[_Described, int]]] = collections.defaultdict(list)
    for number in peak.live:
        item = reading.describe(events[number], events, peak)
        places = tuple(dict.fromkeys((line.file, line.line) for line in item.lines))
        name = item.name if not places else ""
        found[item.what, name, item.shape, item.dtype, places, events[number].bytes_].append(
            (item, events[number].bytes_)
        )
    for same in found.values():
        first = same[0][0]
        names = tuple(dict.fromkeys(item.name for item, _ in same if item.name))
        yield PeakTensor(
            what=first.what,
            name=", ".join(names),
            number=len(same),
            bytes_=sum(bytes_ for _, bytes_ in same),
            shape=first.shape,
            dtype=first.dtype,
            lines=first.lines,
        )


def _ordered(tensors: Iterable[PeakTensor]) -> tuple[PeakTensor, ...]:
    return tuple(sorted(tensors, key=lambda row: -row.bytes_))
