"""Calls of libraries that compute what others of the same graph have computed."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.profiles.work import Work


def repeated_work(work: Iterable[Work]) -> list[Work]:
    """Those but the first of each, in order.

    A generated kernel that is launched again is not among them: it may stand for one line of the
    program.
    """
    return [item for item in work if _repeats(item)]


def repeating_lines(work: Iterable[Work]) -> tuple[tuple[str, int], ...]:
    """Where the program calls them: files and lines."""
    lines = (line for item in work for line in item.lines[:1])
    return tuple(dict.fromkeys((line.file, line.line) for line in lines))


def _repeats(item: Work) -> bool:
    call = item.launches[0].call
    return call is not None and call.kind != "kernel" and call.repeats > 0
