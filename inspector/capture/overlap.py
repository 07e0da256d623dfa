"""How many elements of a tensor two loops over it have in common, from their strides alone."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence


@dataclasses.dataclass(frozen=True, slots=True)
class Walk:
    """The elements that nested loops use: ``offset + stride · number`` for each loop.

    Attributes:
        loops: Number of steps by stride; all of them positive.
    """

    offset: int
    loops: Mapping[int, int]


def common_elements(first: Walk, second: Walk) -> int | None:
    """How many elements both use, or None where their loops cannot be compared.

    Both are cut into the same strides. Their elements coincide where the differences of the loops'
    numbers, times the strides, make up the difference of the offsets; an element that a walk used
    twice would count twice, and so that is none to compare.
    """
    strides = sorted({*first.loops, *second.loops})
    cut = [_cut(walk.loops, strides) for walk in (first, second)]
    if any(loops is None or not _is_injective(loops) for loops in cut):
        return None
    left, right = (loops or {} for loops in cut)
    both = [(stride, left.get(stride, 1), right.get(stride, 1)) for stride in reversed(strides)]
    return _count(second.offset - first.offset, both)


def _cut(loops: Mapping[int, int], strides: Sequence[int]) -> dict[int, int] | None:
    """A loop of 8 by stride 1 is one of 2 by stride 4 and one of 4 by stride 1."""
    found = dict(loops)
    for lower, upper in itertools.pairwise(strides):
        number = found.get(lower, 1)
        if lower * number <= upper or upper in loops:
            continue
        inner, rest = divmod(upper, lower)
        if rest or number % inner:
            return None
        found[lower], found[upper] = inner, number // inner
    return found


def _is_injective(loops: Mapping[int, int]) -> bool:
    reached = 0
    for stride, number in sorted(loops.items()):
        if number > 1 and stride <= reached:
            return False
        reached += stride * (number - 1)
    return True


def _count(difference: int, loops: Sequence[tuple[int, int, int]]) -> int:
    """Pairs of elements that are ``difference`` apart, largest stride first."""
    if not loops:
        return int(difference == 0)
    (stride, left, right), inner = loops[0], loops[1:]
    least = sum(step * (1 - number) for step, _, number in inner)
    most = sum(step * (number - 1) for step, number, _ in inner)
    found = 0
    for apart in range(-((most - difference) // stride), (difference - least) // stride + 1):
        pairs = min(left, right + apart) - max(0, apart)
        if pairs > 0:
            found += pairs * _count(difference - apart * stride, inner)
    return found
