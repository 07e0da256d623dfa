"""Which bytes of a call come from memory, and which can still be in the last cache.

A cache that keeps what was used last holds a buffer if less than its size was moved since (the
reuse distance: Mattson et al., "Evaluation techniques for storage hierarchies", IBM Systems Journal
9(2), 1970). Real caches hold less: half of the last cache of a GPU may belong to the other half of
the chip, so half is what is counted on.
"""

from collections.abc import Hashable, Mapping, Sequence


def bytes_from_memory(traffic: Sequence[Mapping[Hashable, int]], cache_bytes: int) -> list[int]:
    """The bytes of each step that cannot be in the cache, in calls that follow each other.

    Args:
        traffic: What each step moves, by buffer, in order: what it reads, and what it writes.

    Returns:
        For each step the bytes of those buffers between whose uses more was moved than fits.
    """
    found: list[int] = []
    last: dict[Hashable, int] = {}
    moved = 0
    for is_measured in (False, True):  # the call before fills the cache
        for step in traffic:
            missed = sum(
                size
                for buffer, size in step.items()
                if max(size, moved - last.get(buffer, -cache_bytes - 1)) > cache_bytes
            )
            for buffer, size in step.items():
                last[buffer] = moved  # its own bytes count: they have to fit, too
                moved += size
            if is_measured:
                found.append(missed)
    return found
