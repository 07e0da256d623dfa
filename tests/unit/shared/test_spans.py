"""Spans of time."""

from __future__ import annotations

import random

import pytest

from inspector.shared.spans import merged, outside, union_ns


def test_what_overlaps_or_touches_is_one() -> None:
    assert merged([(40, 50), (15, 30), (10, 20), (30, 35), (12, 13)]) == [(10, 35), (40, 50)]
    assert merged([]) == []


@pytest.mark.parametrize(
    ("others", "left"),
    [
        ([], [(10, 20), (40, 50)]),
        ([(0, 60)], []),
        ([(10, 20), (40, 50)], []),
        ([(0, 10), (20, 40), (50, 60)], [(10, 20), (40, 50)]),
        ([(12, 14), (16, 45)], [(10, 12), (14, 16), (45, 50)]),
        ([(0, 12), (18, 25)], [(12, 18), (40, 50)]),
    ],
)
def test_what_is_outside_of_others(
    others: list[tuple[int, int]], left: list[tuple[int, int]]
) -> None:
    assert list(outside([(10, 20), (40, 50)], others)) == left


def test_what_is_inside_and_outside_is_the_whole() -> None:
    chosen = random.Random(0)  # noqa: S311 - generated cases are to be the same every time
    for _ in range(200):
        here, there = (
            [(begin, begin + chosen.randrange(12)) for begin in chosen.choices(range(100), k=8)]
            for _ in range(2)
        )
        alone = list(outside(merged(here), merged(there)))
        assert union_ns(alone) == union_ns([*here, *there]) - union_ns(there)
        assert union_ns(alone) == sum(end - begin for begin, end in alone)
