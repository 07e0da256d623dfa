"""Finds what repeats in a sequence: the kernels of equal layers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Sequence

_LONGEST = 200
_LEAST_SAVED = 4
# A frame says less than a box, and two small ones less than a large one.
_FRAME = 1


@dataclasses.dataclass(frozen=True, slots=True)
class Repeat:
    """A part of a sequence that stands there several times, one behind the other.

    Attributes:
        start: Place of its first item.
        period: How many items it has.
    """

    start: int
    period: int
    times: int

    @property
    def stop(self) -> int:
        """The place behind it all."""
        return self.start + self.period * self.times


# How many items need not be drawn, how many repeats begin where a layer does, and a small period.
_Score = tuple[int, int, int]


def find_repeats(
    signs: Sequence[Hashable], is_begin: Callable[[int], bool] = lambda _: False
) -> list[Repeat]:
    """Finds the repeats that together save most items; they do not overlap, and are in order.

    Args:
        is_begin: Whether a layer begins at a place; where several repeats save as much, as all
            rotations of one do, the one that begins there is taken.
    """
    best: list[_Score] = [(0, 0, 0)] * (len(signs) + 1)
    last: list[Repeat | None] = [None] * (len(signs) + 1)
    ending = _ending(signs)
    for stop in range(1, len(signs) + 1):
        best[stop] = best[stop - 1]
        for repeat in ending[stop]:
            before = best[repeat.start]
            score = (
                before[0] + saved([repeat]) - _FRAME,
                before[1] + is_begin(repeat.start),
                before[2] - repeat.period,
            )
            if score > best[stop]:
                best[stop], last[stop] = score, repeat
    return _chosen(last)


def saved(repeats: Sequence[Repeat]) -> int:
    """How many items need not be drawn."""
    return sum(repeat.period * (repeat.times - 1) for repeat in repeats)


def _ending(signs: Sequence[Hashable]) -> list[list[Repeat]]:
    """By the place behind them, the repeats that are as long as can be, or a turn less."""
    found: list[list[Repeat]] = [[] for _ in range(len(signs) + 1)]
    for period in range(1, min(_LONGEST, len(signs) // 2) + 1):
        equal = 0
        for place in range(period, len(signs)):
            equal = equal + 1 if signs[place] == signs[place - period] else 0
            turns = equal // period + 1
            for times in range(max(2, turns - 1), turns + 1):
                if period * (times - 1) >= _LEAST_SAVED:
                    start = place + 1 - period * times
                    found[place + 1].append(Repeat(start, period, times))
    return found


def _chosen(last: Sequence[Repeat | None]) -> list[Repeat]:
    found: list[Repeat] = []
    place = len(last) - 1
    while place > 0:
        repeat = last[place]
        if repeat is not None:
            found.append(repeat)
        place = repeat.start if repeat else place - 1
    return found[::-1]
