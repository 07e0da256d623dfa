"""How much of a call is memory that the system gives anew."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from inspector.capture.benching.blocks import block
from inspector.capture.benching.loop import Loop

_COUNTED_CALLS = 2


def pages_of_a_call(loop: Loop, flush: Callable[[], None] | None) -> int:
    """Pages that the system gives anew in a call, of a few that are made for that.

    Args:
        loop: Gives the calls.
        flush: Empties the device's cache before each call, or None.
    """
    return _pages_of(block(loop, _COUNTED_CALLS, flush)) // _COUNTED_CALLS


def _pages_of(found: Mapping[str, object]) -> int:
    return cast("int", found["page_faults"])


@dataclasses.dataclass(slots=True)
class FreshMemory:
    """Pages and times of the calls of a process.

    Attributes:
        page: What a page takes: ``touch_ns`` and ``free_ns``; nothing until that is known.
    """

    page: Mapping[str, int] = dataclasses.field(default_factory=dict)
    _pages: dict[int, int] = dataclasses.field(default_factory=dict)
    _times_ns: dict[int, int] = dataclasses.field(default_factory=dict)

    def count(self, index: int, found: Mapping[str, object]) -> None:
        """Adds the calls of a block.

        Args:
            index: Number of the input.
            found: What `block` found.
        """
        times_ns = cast("Sequence[int]", found["times_ns"])
        self._pages[index] = self._pages.get(index, 0) + _pages_of(found)
        self._times_ns[index] = self._times_ns.get(index, 0) + sum(times_ns)

    @property
    def share(self) -> float:
        """The part of a call's time, of the input for which it is the largest; 0 if not known.

        What a page takes is measured apart, and longer beside other programs: it is never all of a
        call and more.
        """
        each_ns = self.page.get("touch_ns", 0) + self.page.get("free_ns", 0)
        shares = [
            each_ns * self._pages[index] / time_ns
            for index, time_ns in self._times_ns.items()
            if time_ns
        ]
        return min(1.0, max(shares, default=0.0))
