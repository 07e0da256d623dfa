"""The moment of a call in which most memory is allocated.

All sizes are those of blocks: what the allocator gives, which on a GPU is a multiple of 512 bytes.
"""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Sequence

from inspector.records.memory_profile import HeldBlock, MemoryEvent, Segment


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
        events: What it allocates and frees; what is freed without having been seen is left out.
    """
    walk = _Walk(held)
    at, most = -1, 0
    for number, event in enumerate(events):
        walk.step(number, event)
        if walk.added_bytes > most:
            at, most = number, walk.added_bytes
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


def in_pools(segments: Sequence[Segment], addresses: Sequence[int]) -> list[bool]:
    """Whether each address is in a pool of CUDA graphs."""
    ordered = sorted(segments, key=lambda item: item.address)
    starts = [item.address for item in ordered]
    found = []
    for address in addresses:
        place = bisect.bisect_right(starts, address) - 1
        item = ordered[place] if place >= 0 else None
        found.append(item is not None and item.is_pool and address < item.address + item.bytes_)
    return found
