"""Writes source text into the recording, so that a report reads the same elsewhere."""

from __future__ import annotations

import hashlib
import linecache
import sys
from pathlib import Path

from inspector.capture.roots import recorded_roots
from inspector.capture.writer import emit
from inspector.records.environment import SourceText
from inspector.shared.roots import Owner

_MOST_BYTES = 1 << 20
_LINES_AROUND = 6
_SHOWN = frozenset({Owner.PROJECT, Owner.GENERATED, Owner.LIBRARY})


class SourceWriter:
    """Writes each file once, of torch and of Python's standard library none."""

    def __init__(self) -> None:
        self._written: set[tuple[str, int]] = set()

    def add(self, file: str, line: int) -> None:
        """Writes a file, or of a large one what is around a line, unless it was written before."""
        if recorded_roots().owner(file) not in _SHOWN or (file, 0) in self._written:
            return
        # linecache also knows the source of notebook cells and of registered generated code.
        lines = linecache.getlines(file)
        is_whole = sum(map(len, lines)) <= _MOST_BYTES
        key = file, 0 if is_whole else max(1, line)
        if not lines or key in self._written:
            return
        self._written.add(key)
        first = 1 if is_whole else max(1, line - _LINES_AROUND)
        kept = lines if is_whole else lines[first - 1 : line + _LINES_AROUND]
        text = tuple(line.rstrip("\r\n") for line in kept)
        emit(SourceText(file, first, text, is_whole, _digest(file)))

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


def _digest(file: str) -> str:
    """SHA-256 of the file's bytes, or an empty string for code that is in no file."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return ""
