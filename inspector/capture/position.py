"""Exact places of source: Python's code objects count bytes, people and reports characters."""

from __future__ import annotations

import linecache

from inspector.records.stack import StackFrame


def in_characters(  # noqa: PLR0913, PLR0917 - what a code object has of a place
    file: str, line: int, name: str, end_line: int | None, start: int | None, end: int | None
) -> StackFrame:
    """A place whose columns are given in UTF-8 bytes."""
    return StackFrame(
        file,
        line,
        name,
        end_line=end_line,
        column=_characters(file, line, start),
        end_column=_characters(file, end_line, end),
    )


def _characters(file: str, line: int | None, offset: int | None) -> int | None:
    if line is None or offset is None:
        return None
    text = linecache.getline(file, line)
    if not text:
        return None  # generated code whose source nobody has kept
    return len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace"))
