"""Writes source text into the recording, so that a report reads the same elsewhere."""

from __future__ import annotations

import hashlib
import linecache
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from inspector.capture.roots import recorded_roots
from inspector.capture.writer import emit
from inspector.records.environment import SourceText
from inspector.shared.roots import Owner

_MOST_BYTES = 1 << 20
_LINES_AROUND = 6


class SourceWriter:
    """Writes what is needed once: the user's files whole, of libraries the function around a line.

    Of torch and of Python's standard library nothing is written.
    """

    def __init__(self) -> None:
        self._written: set[tuple[str, int]] = set()

    def add(self, file: str, line: int) -> None:
        """Writes the source around a line, unless it was written before or there is none."""
        owner = recorded_roots().owner(file)
        if owner in (Owner.PROJECT, Owner.GENERATED):
            self._once(file, 0)
        elif owner is Owner.LIBRARY:
            self._once(file, max(1, line))

    def add_digests(self) -> None:
        """Writes which text the user's modules have that are imported by now, not the text."""
        files = {getattr(module, "__file__", None) for module in tuple(sys.modules.values())}
        roots = recorded_roots()
        for file in sorted(filter(None, files)):
            if roots.owner(file) is Owner.PROJECT and (digest := _digest(file)):
                emit(SourceText(file, sha256=digest))

    def forget(self) -> None:
        """Writes everything again when it is needed next, into a log that has nothing yet."""
        self._written.clear()

    def _once(self, file: str, line: int) -> None:
        if (file, line) in self._written:
            return
        self._written.add((file, line))
        # linecache also knows the source of notebook cells and of registered generated code.
        lines = linecache.getlines(file)
        text = "".join(lines)
        if not lines:
            return
        if line == 0 and len(text) <= _MOST_BYTES:
            _write(file, lines, range(1, len(lines) + 1), whole=True)
            return
        _write(file, lines, range(max(1, line - _LINES_AROUND), line + _LINES_AROUND + 1))
        function = function_lines(lines, line)
        # Its lines may have been asked for one by one.
        if function is not None and (file, -function.start) not in self._written:
            self._written.add((file, -function.start))
            _write(file, lines, function, function=True)


def _write(
    file: str, lines: list[str], numbers: range, *, whole: bool = False, function: bool = False
) -> None:
    kept = lines[numbers.start - 1 : numbers.stop - 1]
    text = tuple(line.rstrip("\r\n") for line in kept)
    emit(SourceText(file, numbers.start, text, whole, _digest(file), is_function=function))


def _digest(file: str) -> str:
    """SHA-256 of the file's bytes, or an empty string for code that is in no file."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return ""


_MOST_LINES = 400
_DEFINITION = re.compile(r"\s*(?:async\s+)?def\s")
# A signature or a call of several lines ends as far left as it began.
_CLOSED = re.compile(r"\s*[)\]}]")


def function_lines(lines: Sequence[str], line: int) -> range | None:
    """The lines of the innermost function around a line, or None where none is found.

    Nothing is parsed: of a large file that takes longer than compiling some functions does.
    """
    first = _definition(lines, line)
    if first is None:
        return None
    own, last = _indentation(lines[first - 1]), first
    for number, text in enumerate(lines[first : first + _MOST_LINES], first + 1):
        if text.strip() and _indentation(text) <= own and not _CLOSED.match(text):
            return range(first, last + 1) if last >= line else None
        last = number if text.strip() else last
    is_all = len(lines) <= first + _MOST_LINES
    return range(first, last + 1) if is_all and last >= line else None


def _definition(lines: Sequence[str], line: int) -> int | None:
    """The line of the ``def`` that is less indented than all between it and the line."""
    if not 1 <= line <= len(lines) or not lines[line - 1].strip():
        return None
    if _DEFINITION.match(lines[line - 1]):
        return line
    least = _indentation(lines[line - 1])
    for number in range(line - 1, max(0, line - _MOST_LINES), -1):
        text = lines[number - 1]
        if text.strip() and _indentation(text) < least and not _CLOSED.match(text):
            if _DEFINITION.match(text):
                return number
            least = _indentation(text)
    return None


def _indentation(text: str) -> int:
    return len(text) - len(text.lstrip())
