"""Frames of the recorded process, the exact places that they are at, and what raised there."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator
from types import FrameType

from inspector.records.stack import StackFrame


def callers(frame: FrameType | None = None) -> Iterator[FrameType]:
    """A frame and all that it was called by, innermost first; without one, the caller's own."""
    frame = frame or sys._getframe(1)  # noqa: SLF001 - what `inspect` calls, too
    while frame is not None:
        yield frame
        frame = frame.f_back


def at_line(frame: FrameType) -> StackFrame:
    """Where a frame is, without columns."""
    code = frame.f_code
    return StackFrame(code.co_filename, frame.f_lineno or 0, code.co_name)


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and what caused it, the first cause last."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def in_characters(  # noqa: PLR0913, PLR0917 - what a code object has of a place
    file: str, line: int, name: str, end_line: int | None, start: int | None, end: int | None
) -> StackFrame:
    """A place whose columns are given in UTF-8 bytes, as Python's code objects have them."""
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
