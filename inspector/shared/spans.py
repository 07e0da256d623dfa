"""Spans of time."""

import bisect
import operator
from collections.abc import Iterable, Iterator, Sequence


def union_ns(spans_ns: Iterable[tuple[int, int]]) -> int:
    """How long any of them lasts: what overlaps counts once.

    Args:
        spans_ns: Begin and end of each, by one clock from 0 on.
    """
    total, until = 0, 0
    for begin_ns, end_ns in sorted(spans_ns):
        total += max(0, end_ns - max(begin_ns, until))
        until = max(until, end_ns)
    return total


def merged(spans_ns: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """When any of them lasts: in order, with what overlaps or touches as one."""
    found: list[tuple[int, int]] = []
    for begin_ns, end_ns in sorted(spans_ns):
        if found and begin_ns <= found[-1][1]:
            found[-1] = found[-1][0], max(end_ns, found[-1][1])
        else:
            found.append((begin_ns, end_ns))
    return found


def outside(
    spans_ns: Iterable[tuple[int, int]], others_ns: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """The parts of spans in which none of the others lasts."""
    for begin_ns, end_ns in spans_ns:
        since_ns = begin_ns
        first = bisect.bisect_right(others_ns, begin_ns, key=operator.itemgetter(1))
        for place in range(first, len(others_ns)):
            other_ns, until_ns = others_ns[place]
            if other_ns >= end_ns:
                break
            if since_ns < other_ns:
                yield since_ns, other_ns
            since_ns = until_ns
        if since_ns < end_ns:
            yield since_ns, end_ns
