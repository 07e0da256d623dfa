"""Labels keep their places, and none lies on another."""

from __future__ import annotations

import itertools
import random

from inspector.features.profile.drawing.roofline_plot import label_offsets

SIZE = (10.0, 8.0)


def test_the_most_important_one_keeps_its_place() -> None:
    first, second = label_offsets([(5, 5), (5, 5)], [SIZE] * 2)
    assert first == (0.0, 0.0)
    assert second != (0.0, 0.0)


def test_of_many_in_a_heap_none_lies_on_another() -> None:
    draw = random.Random(3)  # noqa: S311 - places, and no secret
    centres = [(draw.uniform(0, 40), draw.uniform(0, 40)) for _ in range(16)]
    offsets = label_offsets(centres, [SIZE] * 16)
    middles = [(x + dx, y + dy) for (x, y), (dx, dy) in zip(centres, offsets, strict=True)]
    for (left, low), (right, high) in itertools.combinations(middles, 2):
        assert abs(left - right) >= SIZE[0] - 1e-9 or abs(low - high) >= SIZE[1] - 1e-9
