"""Sequences are aligned so that most of them match."""

import difflib
import itertools

from hypothesis import given
from hypothesis import strategies as st

from inspector.shared.alignment import align, align_by

MANY = st.lists(st.integers(0, 40), max_size=60)


def longest(first: list[object], second: list[object]) -> int:
    """The textbook's table."""
    lengths = [0] * (len(second) + 1)
    for item in first:
        before = 0
        for place, other in enumerate(second, 1):
            kept = lengths[place]
            lengths[place] = (
                before + 1 if item == other else max(lengths[place], lengths[place - 1])
            )
            before = kept
    return lengths[-1]


def check(first: list[object], second: list[object]) -> None:
    found = align(first, second)
    assert all(first[one] == second[two] for one, two in found)
    assert all(one[0] < two[0] and one[1] < two[1] for one, two in itertools.pairwise(found)), (
        "both places grow"
    )
    assert len(found) == longest(first, second)


@given(MANY, MANY)
def test_of_many_values_as_many_match_as_can(first: list[object], second: list[object]) -> None:
    check(first, second)


def test_repeated_layers_are_not_shifted() -> None:
    # One call has a copy in its second layer that the other lacks. From there on `difflib` takes
    # each layer for the one before it, because it takes the longest run first.
    layer = ["norm", "qkv", "attention", "out", "norm", "up", "down"]
    first = [*layer, *layer[:3], "copy", *layer[3:], *layer * 2]
    second = layer * 4
    assert [one - two for one, two in align(first, second)] == [0] * 10 + [1] * 18
    blocks = difflib.SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    assert sum(block.size for block in blocks) == 21


def test_what_tells_most_is_looked_at_first() -> None:
    key = (lambda item: item, lambda item: item)
    name = (lambda item: item[0], lambda item: item[0])
    first = ["a1", "b1", "a2", "c1"]
    second = ["a2", "d7", "c9"]
    assert align_by(first, second, key) == [(2, 0)]
    assert align_by(first, second, key, name) == [(2, 0), (3, 2)]
    assert align_by([], second, key) == align_by(first, second) == []
