"""Finds what repeats in a sequence: the kernels of equal layers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Sequence

__all__ = ["Repeat", "find_repeats"]

_LONGEST = 200
_LEAST_SAVED = 4


@dataclasses.dataclass(frozen=True, slots=True)
class Repeat:
    """A part of a sequence that stands there several times, one behind the other.

    Attributes:
        start: Place of its first item.
        period: How many items it has.
        times: How often it stands there.
    """

    start: int
    period: int
    times: int

    @property
    def stop(self) -> int:
        """The place behind it all."""
        return self.start + self.period * self.times


def find_repeats(
    signs: Sequence[Hashable], is_begin: Callable[[int], bool] = lambda _: False
) -> list[Repeat]:
    """Finds repeats that do not overlap, in order: always the one that saves most.

    Args:
        signs: Equal for items that are the same.
        is_begin: Whether a layer begins at a place; where several repeats save as much, as all
            rotations of one do, the one that begins there is taken.
    """
    found: list[Repeat] = []
    parts = [(0, len(signs))]
    while parts:
        start, stop = parts.pop()
        best = _best(signs, start, stop, is_begin)
        if best is not None:
            found.append(best)
            parts += [(start, best.start), (best.stop, stop)]
    return sorted(found, key=lambda repeat: repeat.start)


def _best(
    signs: Sequence[Hashable], start: int, stop: int, is_begin: Callable[[int], bool]
) -> Repeat | None:
    best: tuple[int, bool, int, int] | None = None
    for period in range(1, min(_LONGEST, (stop - start) // 2) + 1):
        equal = 0
        for place in range(stop - period - 1, start - 1, -1):
            equal = equal + 1 if signs[place] == signs[place + period] else 0
            # `saved` items need not be drawn.
            saved = equal // period * period
            score = (saved, is_begin(place), -period, -place)
            if saved >= _LEAST_SAVED and (best is None or score > best):
                best = score
    if best is None:
        return None
    saved, _, period, place = best
    return Repeat(-place, -period, saved // -period + 1)
