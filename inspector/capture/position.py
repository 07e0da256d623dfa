"""Exact places of source, as they are written into the recording."""

from __future__ import annotations

import dataclasses
import linecache
from typing import Self

__all__ = ["Position"]


@dataclasses.dataclass(frozen=True, slots=True)
class Position:
    """Where an expression stands; the fields are those of an ``inspector_graph_break`` artifact.

    Attributes:
        file: File name.
        line: First line, from 1.
        end_line: Last line, or None.
        column: First column, 0-based, in characters, or None.
        end_column: Column after the last one, or None.
    """

    file: str
    line: int
    end_line: int | None
    column: int | None
    end_column: int | None

    @classmethod
    def in_bytes(
        cls, file: str, line: int, end_line: int | None, start: int | None, end: int | None
    ) -> Self:
        """A place whose columns are counted in UTF-8 bytes, as Python's code objects do."""
        return cls(
            file, line, end_line, _characters(file, line, start), _characters(file, end_line, end)
        )


def _characters(file: str, line: int | None, offset: int | None) -> int | None:
    if line is None or offset is None:
        return None
    text = linecache.getline(file, line)
    if not text:
        return None  # generated code whose source nobody has kept
    return len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace"))
