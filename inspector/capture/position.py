"""Exact places of source: Python's code objects count bytes, people and reports characters."""

from __future__ import annotations

import linecache

from inspector.events.inspector import Position


def in_characters(
    file: str, line: int, end_line: int | None, start: int | None, end: int | None
) -> Position:
    """A place whose columns are given in UTF-8 bytes."""
    return Position(
        file, line, end_line, _characters(file, line, start), _characters(file, end_line, end)
    )


def _characters(file: str, line: int | None, offset: int | None) -> int | None:
    if line is None or offset is None:
        return None
    text = linecache.getline(file, line)
    if not text:
        return None  # generated code whose source nobody has kept
    return len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace"))
