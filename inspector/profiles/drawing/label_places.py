"""Places labels so that none lies on another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

Pair: TypeAlias = tuple[float, float]
_RINGS = (12.0, 19.0, 27.0, 36.0, 48.0, 62.0)
_DIRECTIONS = 16


class _Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: _Box) -> bool:
        beside = self.right <= other.left or other.right <= self.left
        return not beside and self.bottom < other.top and other.bottom < self.top


def label_offsets(centres: Sequence[Pair], sizes: Sequence[Pair]) -> list[Pair]:
    """How far each label goes from its point: not at all, or to the nearest place that is free.

    Args:
        centres: The points, the most important one first, as (x, y).
        sizes: Width and height of their labels, in the same unit.

    Returns:
        An offset for each; (0, 0) too where all around is taken.
    """
    placed: list[_Box] = []
    offsets: list[Pair] = []
    for centre, size in zip(centres, sizes, strict=True):
        boxes = ((offset, _box(centre, offset, size)) for offset in _candidates())
        free = (
            (offset, box) for offset, box in boxes if not any(box.meets(each) for each in placed)
        )
        offset, box = next(free, ((0.0, 0.0), _box(centre, (0.0, 0.0), size)))
        placed.append(box)
        offsets.append(offset)
    return offsets


def _candidates() -> Iterator[Pair]:
    yield 0.0, 0.0
    for radius in _RINGS:
        for step in range(_DIRECTIONS):
            angle = 2 * math.pi * step / _DIRECTIONS
            yield radius * math.cos(angle), radius * math.sin(angle)


def _box(centre: Pair, offset: Pair, size: Pair) -> _Box:
    x, y = centre[0] + offset[0], centre[1] + offset[1]
    width, height = size
    return _Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
