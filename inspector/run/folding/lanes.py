"""Lays the spans of a process side by side, so that no two in a lane overlap."""

from __future__ import annotations

import array
import dataclasses
from collections.abc import Iterable

from inspector.run.folding.pairing import Span
from inspector.run.folding.stages import stage_of
from inspector.run.lanes import Lane, LaneSpan

# What is worth showing of what torch says at a span; the rest are keys, configurations and counts.
_SHOWN = ("kernel_name", "fn_name", "cache_state", "cache_bypass_reason", "is_backward")
_LONGEST_DETAIL = 200


@dataclasses.dataclass(slots=True)
class _Draft:
    begins_ns: array.array[int] = dataclasses.field(default_factory=lambda: array.array("q"))
    ends_ns: array.array[int] = dataclasses.field(default_factory=lambda: array.array("q"))
    kinds: array.array[int] = dataclasses.field(default_factory=lambda: array.array("L"))
    open_ends: list[int] = dataclasses.field(default_factory=list)

    def fits(self, begin_ns: int, end_ns: int) -> bool:
        """Whether a span is apart from all that are here, or inside of them."""
        if self.begins_ns and begin_ns < self.begins_ns[-1]:
            return False
        while self.open_ends and self.open_ends[-1] <= begin_ns:
            self.open_ends.pop()
        return not self.open_ends or end_ns <= self.open_ends[-1]

    def add(self, begin_ns: int, end_ns: int, kind: int) -> None:
        self.begins_ns.append(begin_ns)
        self.ends_ns.append(end_ns)
        self.kinds.append(kind)
        self.open_ends.append(end_ns)


class LaneBuilder:
    """Takes spans as they end."""

    def __init__(self) -> None:
        self._lanes: list[_Draft] = [_Draft()]
        self._pending: list[tuple[int, int, int, bool]] = []
        self._kinds: dict[LaneSpan, int] = {}

    def add(self, span: Span) -> None:
        """Takes a span that has ended."""
        kind = self._kinds.setdefault(_kind(span), len(self._kinds))
        is_workers = not span.compile_id
        self._pending.append((span.begin_ns, -span.end_ns, kind, is_workers))

    def settle(self) -> None:
        """Lays out what was taken, when nothing is open that could hold it."""
        for begin_ns, negative_end_ns, kind, is_workers in sorted(self._pending):
            self._lane(begin_ns, -negative_end_ns, is_workers=is_workers).add(
                begin_ns, -negative_end_ns, kind
            )
        self._pending = []

    def build(self, unfinished: Iterable[Span]) -> tuple[Lane, ...]:
        """The lanes, with the spans that never ended."""
        for span in unfinished:
            self.add(span)
        self.settle()
        table = tuple(self._kinds)
        return tuple(
            Lane(draft.begins_ns, draft.ends_ns, draft.kinds, table)
            for draft in self._lanes
            if draft.kinds
        )

    def _lane(self, begin_ns: int, end_ns: int, *, is_workers: bool) -> _Draft:
        """The first lane that it fits into.

        A worker's span lies beside the one that waits for it, and not in it.
        """
        first = self._lanes[0]
        fits_first = first.fits(begin_ns, end_ns)
        if fits_first and not (is_workers and first.open_ends):
            return first
        for lane in self._lanes[1:]:
            if lane.fits(begin_ns, end_ns):
                return lane
        self._lanes.append(_Draft())
        return self._lanes[-1]


def _kind(span: Span) -> LaneSpan:
    stage = stage_of(span.name, in_code_generation=span.in_code_generation) or ""
    details = tuple(
        (name, str(span.arguments[name])[:_LONGEST_DETAIL])
        for name in _SHOWN
        if span.arguments.get(name) is not None
    )
    return LaneSpan(span.name, 0, 0, stage, span.compile_id, span.occurrence, details, span.ended)
