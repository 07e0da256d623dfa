"""Which items of two sequences are the same: as many pairs as there can be, in order.

Two calls of one program launch nearly the same, and many of the kernels are equal. Taking the
longest common run first, as `difflib.SequenceMatcher` does, then shifts whole layers against each
other; a longest common subsequence does not.
"""

import itertools
import math
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Other = TypeVar("Other")


def align(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[tuple[int, int]]:
    """A longest common subsequence, as pairs of places that both grow.

    Of several that are equally long it is one that has the common beginning and the common end.

    The rows of the table are integers of a bit for each item of ``second`` (Hyyrö, Bit-Parallel
    LCS-Length Computation Revisited, 2004), so that 20,000 by 20,000 items take a fifth of a
    second; for the way back rows are computed again from every √n-th one, to save memory.
    """
    start = 0
    ends = len(first), len(second)
    while start < min(ends) and first[start] == second[start]:
        start += 1
    tail = 0
    while tail < min(ends) - start and first[-1 - tail] == second[-1 - tail]:
        tail += 1
    inner = _longest(first[start : ends[0] - tail], second[start : ends[1] - tail])
    return [
        *((place, place) for place in range(start)),
        *((start + here, start + there) for here, there in inner),
        *((ends[0] - left, ends[1] - left) for left in range(tail, 0, -1)),
    ]


def align_by(
    first: Sequence[Item],
    second: Sequence[Other],
    *keys: tuple[Callable[[Item], Hashable], Callable[[Other], Hashable]],
) -> list[tuple[int, int]]:
    """Aligns by what tells most, and what lies between the pairs by what tells less.

    Args:
        *keys: For items of either kind what is compared, what tells most first.
    """
    if not keys or not first or not second:
        return []
    key, other_key = keys[0]
    found = align([key(item) for item in first], [other_key(item) for item in second])
    if len(keys) == 1:
        return found
    made: list[tuple[int, int]] = []
    for (here, there), after in itertools.pairwise([(-1, -1), *found, (len(first), len(second))]):
        between = align_by(first[here + 1 : after[0]], second[there + 1 : after[1]], *keys[1:])
        made += [(here + 1 + one, there + 1 + two) for one, two in between]
        made.append(after)
    return made[:-1]


def _longest(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[tuple[int, int]]:
    """The same, without looking for a common beginning and end."""
    # What the other has not at all matches nothing.
    common = set(first) & set(second)
    here = [place for place, item in enumerate(first) if item in common]
    there = [place for place, item in enumerate(second) if item in common]
    if not common:
        return []
    table = _Table([first[place] for place in here], [second[place] for place in there])
    return [(here[one], there[two]) for one, two in table.pairs()]


class _Table:
    """Lengths of common subsequences of all beginnings.

    Row n is for the first n items of ``first``. Its bit m is 0 where the beginning of ``second``
    with m + 1 items has one more in common with them than the one with m.
    """

    def __init__(self, first: Sequence[Hashable], second: Sequence[Hashable]) -> None:
        self._first = first
        self._last = len(second)
        self._all = (1 << len(second)) - 1
        self._where: dict[Hashable, int] = {}
        for place, item in enumerate(second):
            self._where[item] = self._where.get(item, 0) | 1 << place
        self._every = math.isqrt(len(first)) + 1
        self._kept = [self._all]
        for begin in range(0, len(first), self._every):
            self._kept.append(self._rows(begin)[-1])

    def pairs(self) -> list[tuple[int, int]]:
        """A longest common subsequence, from the end of the table to its beginning."""
        found: list[tuple[int, int]] = []
        column = self._last
        for begin in reversed(range(0, len(self._first), self._every)):
            rows = self._rows(begin)
            row = len(rows) - 1
            while row and column:
                if rows[row] >> (column - 1) & 1:  # the last of `second` adds nothing
                    column -= 1
                    continue
                row -= 1
                # Where the row before has that step, too, the last of `first` adds nothing.
                if rows[row] >> (column - 1) & 1:
                    column -= 1
                    found.append((begin + row, column))
        return found[::-1]

    def _rows(self, begin: int) -> list[int]:
        """The rows from one that is kept to the next one."""
        rows = [self._kept[begin // self._every]]
        for item in self._first[begin : begin + self._every]:
            row = rows[-1]
            matched = row & self._where[item]
            rows.append((row + matched | row - matched) & self._all)
        return rows
