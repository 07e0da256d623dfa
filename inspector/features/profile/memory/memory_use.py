"""Finds the peak of a call's memory, with the compiler and without, and what it is made of."""

import collections
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.features.kernels.buffers import Buffers, read_buffers
from inspector.features.profile.code_lines import CodeLines
from inspector.features.profile.memory.memory import BASE, CallMemory, MemoryUse, PeakTensor
from inspector.features.profile.outside_lines import user_place
from inspector.features.profile.peak import Peak, curve, find_peak, in_pools
from inspector.records.device_profile import LaunchPlace
from inspector.records.memory_profile import HeldBlock, MemoryEvent, MemoryProfile, MemorySide
from inspector.run.kernel import GraphCode, NodeLine
from inspector.run.run import Process
from inspector.trace.inspector_records import stored_record


class BlockReader:
    """Describes the blocks of one call."""

    def __init__(
        self, side: MemorySide, code: CodeLines, functions: Mapping[str, NodeLine]
    ) -> None:
        self.side = side
        self._code = code
        self._functions = functions
        self._last: dict[int, MemoryEvent] = {event.address: event for event in side.events}
        self._kept = set(map(id, _at_backward(side)))

    def describe(self, event: MemoryEvent, events: Sequence[MemoryEvent], peak: Peak) -> PeakTensor:
        """What an event allocates."""
        place = self.side.place_of(event)
        # What is there after the call is what was put there last.
        is_last = self._last.get(event.address) is event
        known = self.side.left.get(event.address) if is_last else None
        at = self.side.place_of(events[peak.at]) if peak.at >= 0 else LaunchPlace()
        found = self._in_code(event, place, at) if self._code.knows(place.file) else None
        found = found or self._outside(event, place)
        if known is not None:
            name, shape = known.name or found.name, known.shape
            found = PeakTensor(known.what, name, shape=shape, dtype=known.dtype, lines=found.lines)
        return dataclasses.replace(found, bytes_=event.bytes_)

    def _in_code(
        self, event: MemoryEvent, place: LaunchPlace, peak: LaunchPlace
    ) -> PeakTensor | None:
        buffer = self._code.buffer(place, event.bytes_, peak)
        final = self._code.buffer(place, event.bytes_, LaunchPlace())
        if buffer is None or final is None:
            return None
        what = self._code.what(place.file, buffer, final)
        if what in {"intermediate", "workspace"} and id(event) in self._kept:
            what = "saved"  # one of several results of a library's
        filled_by = buffer.filled_by or final.filled_by or (place.line,)
        return PeakTensor(
            what=what,
            name=buffer.names[-1] if buffer.names else "",
            shape=buffer.shape,
            dtype=buffer.dtype,
            lines=self._code.lines(place.file, filled_by),
        )

    def _outside(self, event: MemoryEvent, place: LaunchPlace) -> PeakTensor:
        """What is allocated outside of generated code, or in code that is not there."""
        line = user_place(place)
        if line is None and place.region in self._functions:
            line = self._functions[place.region]
        lines = (self._code.with_text(line),) if line is not None else ()
        name = place.operator.rpartition("::")[2]
        if place.is_loss:
            return PeakTensor("loss", name)
        if not lines and not name and not place.file:
            return PeakTensor("unknown")
        what = "saved" if id(event) in self._kept and not place.file else "intermediate"
        return PeakTensor(what, name, lines=lines)


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
    """The memory of a call, or None where the compiled call was not seen."""
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
    reading = BlockReader(side, code, functions)
    pools = sum(item.bytes_ for item in side.segments if item.is_pool)
    base = sum(block.bytes_ for block in held if block.what in BASE)
    outside = sum(block.bytes_ for block in held) - base
    tensors = [*_held_tensors(held, peak), *_tensors(reading, events, peak)]
    reserved = events[peak.at].reserved if peak.at >= 0 else stats.get("reserved_before", 0)
    reserved = max(0, reserved - pools)
    return CallMemory(
        base_bytes=base,
        added_bytes=peak.added_bytes + unseen,
        pool_bytes=0,
        outside_bytes=outside,
        tensors=_ordered(tensors),
        curve=curve(held, events),
        # Pools are the compiled side's: what it has of them is told apart.
        reserved_bytes=stats["reserved_peak"] - pools if "reserved_peak" in stats else None,
        reserved_at_peak_bytes=reserved if stats else None,
        free_bytes=max(0, reserved - base - outside - peak.added_bytes) if stats else 0,
        unseen_bytes=unseen,
        retries=stats.get("retries", 0),
        ooms=stats.get("ooms", 0),
        failed=side.failed,
        cut=side.cut,
    )


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
            for row in _tensors(BlockReader(item, *known), events, peak)
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


def _tensors(
    reading: BlockReader, events: Sequence[MemoryEvent], peak: Peak
) -> Iterator[PeakTensor]:
    found: dict[object, list[PeakTensor]] = collections.defaultdict(list)
    for number in peak.live:
        item = reading.describe(events[number], events, peak)
        places = tuple(dict.fromkeys((line.file, line.line) for line in item.lines))
        name = item.name if not places else ""
        found[item.what, name, item.shape, item.dtype, places, item.bytes_].append(item)
    for same in found.values():
        yield dataclasses.replace(
            same[0],
            name=", ".join(dict.fromkeys(item.name for item in same if item.name)),
            number=len(same),
            bytes_=sum(item.bytes_ for item in same),
        )


def _ordered(tensors: Iterable[PeakTensor]) -> tuple[PeakTensor, ...]:
    return tuple(sorted(tensors, key=lambda row: -row.bytes_))


def memory_profiles(process: Process) -> tuple[dict[int, MemoryProfile], list[str]]:
    """What the calls of a process allocate, by the number of the input; and what was not read."""
    found: dict[int, MemoryProfile] = {}
    unread = []
    for payload in process.stored.get(MemoryProfile, ()):
        try:
            profile = stored_record(MemoryProfile, payload)
        except (OSError, ValueError) as error:
            unread.append(f"a memory profile could not be read: {error}")
        else:
            found[profile.input] = profile
    return found, unread


def code_of(process: Process, codes: Sequence[GraphCode]) -> Iterator[tuple[GraphCode, Buffers]]:
    """Generated code with its buffers; code that is no Python is not among the codes."""
    codes_read = (text for text in process.codes.texts if not text.is_ahead)
    texts = {text.file: text.text for text in codes_read if text.text is not None}
    for code in codes:
        text = texts.get(code.file)
        if code.file and text is not None:
            yield code, read_buffers(text.text(), code)
