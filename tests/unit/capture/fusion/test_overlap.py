"""Elements that two walks over a tensor have in common: the same as counted one by one."""

from __future__ import annotations

import itertools
import random

from inspector.capture.fusion.fusion_uses import Walk, common_elements


def elements(walk: Walk) -> list[int]:
    steps = [range(0, stride * number, stride) for stride, number in walk.loops.items()]
    return [walk.offset + sum(place) for place in itertools.product(*steps)]


def test_what_uses_an_element_twice_is_not_compared() -> None:
    assert common_elements(Walk(0, {1: 4, 2: 4}), Walk(0, {1: 8})) is None


def test_generated_walks_are_counted_right_or_not_at_all() -> None:
    chosen = random.Random(3)  # noqa: S311 - generated cases are to be the same every time
    compared = 0
    for _ in range(2000):
        first, second = (
            Walk(
                chosen.randrange(20),
                {stride: chosen.randint(1, 6) for stride in chosen.sample((1, 2, 4, 8, 24), 2)},
            )
            for _ in range(2)
        )
        found = common_elements(first, second)
        if found is not None:
            compared += 1
            assert found == len({*elements(first)} & {*elements(second)}), (first, second)
    assert compared > 300
