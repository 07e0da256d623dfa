"""Spans of time."""

import random

from inspector.shared.spans import merged, outside, union_ns


def test_what_overlaps_or_touches_is_one() -> None:
    assert merged([(40, 50), (15, 30), (10, 20), (30, 35), (12, 13)]) == [(10, 35), (40, 50)]
    assert merged([]) == []


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
