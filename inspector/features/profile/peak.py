"""The moment of a call in which most memory is allocated.

All sizes are those of blocks: what the allocator gives, which on a GPU is a multiple of 512 bytes.
"""

import bisect
import dataclasses
import math
from collections.abc import Iterator, Sequence

from inspector.records.memory_profile import HeldBlock, MemoryEvent, Segment

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


def _allocated(
    held: Sequence[HeldBlock], events: Sequence[MemoryEvent]
) -> Iterator[tuple[int, dict[int, tuple[int, int]]]]:
    """What is allocated before the call and after each event: how much more, and by address.

    A block has its bytes with the number of its event; one from before, of its own: -1 - number.
    """
    live = {block.address: (block.bytes_, -1 - number) for number, block in enumerate(held)}
    added = 0
    yield added, live
    for number, event in enumerate(events):
        # What is given again was freed before, unseen.
        added -= live.pop(event.address, (0, 0))[0]
        if event.bytes_ > 0:
            live[event.address] = event.bytes_, number
            added += event.bytes_
        yield added, live


def find_peak(held: Sequence[HeldBlock], events: Sequence[MemoryEvent]) -> Peak:
    """The peak of a call.

    Args:
        events: What it allocates and frees; what is freed without having been seen is left out.
    """
    at, most = -1, 0
    for number, (added, _) in enumerate(_allocated(held, events), -1):
        if added > most:
            at, most = number, added
    *_, (_, live) = _allocated(held, events[: at + 1])
    numbers = [number for _, number in live.values()]
    return Peak(
        at,
        most,
        tuple(sorted(number for number in numbers if number >= 0)),
        tuple(sorted(-1 - number for number in numbers if number < 0)),
    )


def curve(held: Sequence[HeldBlock], events: Sequence[MemoryEvent]) -> tuple[int, ...]:
    """What is allocated after each event beyond what was; of long calls the most of several."""
    _, *added = (added for added, _ in _allocated(held, events))
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
        found.append(item is not None and item.is_pool and address < item.address + item.bytes_)
    return found
