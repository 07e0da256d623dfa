"""The search for a short list of inputs after which none compiles anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from inspector.capture.benching.warm_plan import planned

# Which inputs each compiled graph fits, by the input that it was compiled for.
_STATIC = {0: {0}, 1: {1}, 2: {2}}
_SECOND_FITS_ALL = {0: {0}, 1: {0, 1, 2}, 2: {2}}


@pytest.mark.parametrize(
    ("fits", "compiled", "calls"),
    [
        (_STATIC, [1, 1, 1], (0, 1, 2)),
        (_SECOND_FITS_ALL, [1, 1, 0], (1,)),
        ({0: {0, 1, 2}}, [3, 0, 0], (0,)),
        ({}, [0, 0, 0], ()),
    ],
)
def test_what_others_cover_is_left_out(
    fits: dict[int, set[int]], compiled: list[int], calls: tuple[int, ...]
) -> None:
    tried: list[tuple[int, ...]] = []

    def later(given: Sequence[int]) -> Iterator[int]:
        tried.append(tuple(given))
        covered = set().union(*(fits[index] for index in given))
        yield from (index for index in range(len(compiled)) if index not in covered)

    found = planned(compiled, later)
    assert found.calls == calls
    assert found.trials == len(tried)


def test_a_plan_of_many_calls_is_tried_a_limited_number_of_times() -> None:
    found = planned([1] * 40, lambda calls: iter(set(range(40)) - set(calls)))
    assert found.calls == tuple(range(40))
    assert found.trials == 16
