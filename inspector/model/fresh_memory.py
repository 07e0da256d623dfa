"""When memory that the system gives anew matters, and when it is not given anew any more."""

from __future__ import annotations

__all__ = ["FEW_PAGES", "FRESH_SHARE", "is_kept"]

FRESH_SHARE = 0.05
"""From this part of a call on, memory that is new makes a difference: below, other things do."""
FEW_PAGES = 64
"""Of a program that has hardly any: something small may be new at any time."""
_LESS = 0.5  # of the page faults, at most: else it is another allocator, which nobody told


def is_kept(before: float, after: float) -> bool:
    """Whether fewer pages are new, if any number to speak of was.

    Args:
        before: Pages of a call that were new.
        after: The same once the allocator was told to keep memory.
    """
    return after <= max(_LESS * before, FEW_PAGES)
