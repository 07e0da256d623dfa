"""The moment of a call in which most memory is allocated, and how the allocator's memory lies then.

All sizes are those of blocks: what the allocator gives, which on a GPU is a multiple of 512 bytes.
"""

from __future__ import annotations

import bisect
import dataclasses
import math
from collections.abc import Sequence

from inspector.records.memory_profile import HeldBlock, MemoryEvent, MemorySide, Segment

_MOST_POINTS = 600


@dataclasses.dataclass(frozen=True, slots=True)
class Peak:
    """The first moment in which most is allocated.

    Attributes:
        at: The number of the event after which that is, or -1 for the call's begin.
        added_bytes: How much more that is than before the call.
        live: The numbers of the events whose memory is allocated then.
        held: The numbers of the blocks from before the call that are allocated still.
    """

    at: int
    added_bytes: int
    live: tuple[int, ...]
    held: tuple[int, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Fragmentation:
    """How memory lies at the peak, without pools of CUDA graphs.

    Attributes:
        reserved_bytes: What the allocator has of the device.
        allocated_bytes: What of it is allocated.
        largest_free_bytes: The largest free block in it, or None where that is not known.
        split_bytes: What of it is free next to something that is allocated, so that it cannot be
            given back; or None.
    """

    reserved_bytes: int
    allocated_bytes: int
    largest_free_bytes: int | None = None
    split_bytes: int | None = None

    @property
    def free_bytes(self) -> int:
        """What is reserved and not allocated."""
        return max(0, self.reserved_bytes - self.allocated_bytes)


class _Walk:
    """What is allocated after each event."""

    def __init__(self, held: Sequence[HeldBlock]) -> None:
        # The number of an event, or of a block from before: -1 - number.
        self.live = {
            block.address: (block.bytes_, -1 - number) for number, block in enumerate(held)
        }
        self.added_bytes = 0

    def step(self, number: int, event: MemoryEvent) -> None:
        # What is given again was freed before, unseen.
        freed = self.live.pop(event.address, None)
        if freed is not None:
            self.added_bytes -= freed[0]
        if event.bytes_ > 0:
            self.live[event.address] = event.bytes_, number
            self.added_bytes += event.bytes_


def find_peak(held: Sequence[HeldBlock], events: Sequence[MemoryEvent]) -> Peak:
    """The peak of a call.

    Args:
        held: What is allocated before it.
        events: What it allocates and frees; what is freed without having been seen is left out.
    """
    added = _added(held, events)
    most = max([0, *added])
    at = added.index(most) if most else -1
    walk = _Walk(held)
    for number, event in enumerate(events[: at + 1]):
        walk.step(number, event)
    numbers = [number for _, number in walk.live.values()]
    return Peak(
        at,
        most,
        tuple(sorted(number for number in numbers if number >= 0)),
        tuple(sorted(-1 - number for number in numbers if number < 0)),
    )


def _added(held: Sequence[HeldBlock], events: Sequence[MemoryEvent]) -> list[int]:
    walk = _Walk(held)
    found = []
    for number, event in enumerate(events):
        walk.step(number, event)
        found.append(walk.added_bytes)
    return found


def curve(held: Sequence[HeldBlock], events: Sequence[MemoryEvent]) -> tuple[int, ...]:
    """What is allocated after each event, less what was before; of long calls the most of several.

    Args:
        held: As in `find_peak`.
        events: As in `find_peak`.
    """
    added = _added(held, events)
    step = math.ceil(len(added) / _MOST_POINTS) or 1
    return tuple(max(added[at : at + step]) for at in range(0, len(added), step))


def in_pools(segments: Sequence[Segment], addresses: Sequence[int]) -> list[bool]:
    """Whether each address is in a pool of CUDA graphs."""
    ordered = sorted(segments, key=lambda item: item.address)
    starts = [item.address for item in ordered]
    found = []
    for address in addresses:
        place = bisect.bisect_right(starts, address) - 1
        item = ordered[place] if place >= 0 else None
        found.append(item is not None and item.is_pool and address < _end(item))
    return found


def _end(segment: Segment) -> int:
    return segment.address + segment.bytes_


def fragmentation(side: MemorySide, events: Sequence[MemoryEvent], peak: Peak) -> Fragmentation:
    """How memory lies at the peak.

    What segments there were then follows from those before and after: one that came in the call
    came for the first block in it. Where that does not add up to what was reserved (segments were
    given back in the call), free blocks are not known.

    Args:
        side: The call.
        events: Its events outside of pools of CUDA graphs.
        peak: Their peak.
    """
    pools = sum(item.bytes_ for item in side.segments if item.is_pool)
    general = sorted(
        (item for item in side.segments if not item.is_pool), key=lambda item: item.address
    )
    is_pool = in_pools(side.segments, [block.address for block in side.held])
    held = [block for block, inside in zip(side.held, is_pool, strict=True) if not inside]
    reserved = events[peak.at].reserved if peak.at >= 0 else side.stats.get("reserved_before", 0)
    allocated = sum(block.bytes_ for block in held) + peak.added_bytes
    starts = [item.address for item in general]
    there = set(side.segments_before)
    for event in events[: peak.at + 1]:
        place = bisect.bisect_right(starts, event.address) - 1
        if event.bytes_ > 0 and place >= 0 and event.address < _end(general[place]):
            there.add(starts[place])
    then = [item for item in general if item.address in there]
    found = Fragmentation(max(0, reserved - pools), allocated)
    if sum(item.bytes_ for item in then) != found.reserved_bytes:
        return found
    live = sorted(
        [(events[number].address, events[number].bytes_) for number in peak.live]
        + [(side.held[number].address, side.held[number].bytes_) for number in peak.held]
    )
    largest, split = _free(then, live)
    return dataclasses.replace(found, largest_free_bytes=largest, split_bytes=split)


def _free(segments: Sequence[Segment], live: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The largest free block, and what is free in segments that are used."""
    starts = [address for address, _ in live]
    largest = split = 0
    for segment in segments:
        end = _end(segment)
        first, last = (bisect.bisect_left(starts, at) for at in (segment.address, end))
        gaps, at = [], segment.address
        for address, bytes_ in live[first:last]:
            gaps.append(max(0, address - at))
            at = max(at, address + bytes_)
        gaps.append(max(0, end - at))
        largest = max(largest, *gaps)
        split += sum(gaps) if first < last else 0
    return largest, split
