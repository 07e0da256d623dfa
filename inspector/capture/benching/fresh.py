"""How much of a call is memory that the system gives anew."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import cast

__all__ = ["FreshMemory", "pages_of"]


def pages_of(block: Mapping[str, object]) -> int:
    """Pages that the system gave anew in all calls of a block together."""
    return cast("int", block["page_faults"])


@dataclasses.dataclass(slots=True)
class FreshMemory:
    """Pages and times of the calls of a process.

    Attributes:
        page: What a page takes: ``touch_ns`` and ``free_ns``; nothing until that is known.
    """

    page: Mapping[str, int] = dataclasses.field(default_factory=dict)
    _pages: dict[int, int] = dataclasses.field(default_factory=dict)
    _times_ns: dict[int, int] = dataclasses.field(default_factory=dict)

    def count(self, index: int, block: Mapping[str, object]) -> None:
        """Adds the calls of a block with an input."""
        times_ns = cast("Sequence[int]", block["times_ns"])
        self._pages[index] = self._pages.get(index, 0) + pages_of(block)
        self._times_ns[index] = self._times_ns.get(index, 0) + sum(times_ns)

    @property
    def share(self) -> float:
        """The part of a call's time, of the input for which it is the largest; 0 if not known."""
        each_ns = self.page.get("touch_ns", 0) + self.page.get("free_ns", 0)
        shares = [
            each_ns * self._pages[index] / time_ns
            for index, time_ns in self._times_ns.items()
            if time_ns
        ]
        return max(shares, default=0.0)
