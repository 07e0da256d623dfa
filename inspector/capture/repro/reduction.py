"""Delta debugging: the smallest part of a list that still shows something."""

from collections.abc import Callable, Sequence
from typing import TypeVar

_T = TypeVar("_T")


def smallest(
    items: Sequence[_T], shows: Callable[[Sequence[_T]], bool], is_over: Callable[[], bool]
) -> Sequence[_T]:
    """Leaves out as many as it can, in halves, quarters and so on, the last ones first.

    That is Zeller's ddmin ("Simplifying and isolating failure-inducing input", 2002) without its
    tests of the parts themselves, which for a graph are what its ends are left out for.

    Args:
        shows: Whether some of them show it; all of them do.
        is_over: Whether there is no time left: what was reached by then is the answer.
    """
    size = len(items) // 2
    while size and not is_over():
        before, end = len(items), len(items)
        while end > 0 and not is_over():
            begin = max(0, end - size)
            rest = [*items[:begin], *items[end:]]
            if rest and shows(rest):
                items = rest
            end = begin
        if len(items) == before or size > 1:
            size = min(size // 2, max(1, len(items) // 2)) if size > 1 else 0
    return items
