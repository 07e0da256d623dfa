"""When memory that the system gives anew matters, and when it is not given anew any more."""

from __future__ import annotations

FRESH_SHARE = 0.05
"""From this part of a call on, memory that is new makes a difference: below, other things do."""
FEW_PAGES = 64
"""Of a program that has hardly any: something small may be new at any time."""
_MOSTLY = 0.8  # of the pages: what is in every process alike is no chance
_NOTICEABLE = 0.02  # of a call: less is in the noise of any
_LESS = 0.5  # of the page faults, at most: else it is another allocator, which nobody told


def is_kept(before: float, after: float) -> bool:
    """Whether fewer pages are new, if any number to speak of was.

    Args:
        before: Pages of a call that were new.
        after: The same once the allocator was told to keep memory.
    """
    return after <= max(_LESS * before, FEW_PAGES)


def is_by_chance(time_ns: float, new: float, mapped: float, each_ns: float) -> bool:
    """Whether most of a call's new memory is what lay on top of the heap, and it is noticed.

    glibc gives back what lies on top of its heap, and what that is depends on all that the process
    has allocated before: it is another thing in the next process. Large blocks are mapped each for
    itself and given back whenever they are freed, in every process.

    Args:
        time_ns: What a call takes.
        new: Its pages that are new.
        mapped: Those that still are when what lies on top of the heap is kept.
        each_ns: What a page takes.
    """
    chance = new - mapped
    return chance * each_ns >= _NOTICEABLE * time_ns and chance >= _MOSTLY * new
