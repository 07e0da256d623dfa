"""Spans of time."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["union_ns"]


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
