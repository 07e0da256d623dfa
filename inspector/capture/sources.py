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

_SHOWN = frozenset({Owner.PROJECT, Owner.GENERATED, Owner.LIBRARY})


class SourceWriter:
    """Writes each file once, of torch and of Python's standard library none."""

    def __init__(self) -> None:
        self._written: set[str] = set()

    def add(self, file: str) -> None:
        """Writes a file, unless it was written before."""
        if recorded_roots().owner(file) not in _SHOWN or file in self._written:
            return
        # linecache also knows the source of notebook cells and of registered generated code.
        text = tuple(line.rstrip("\r\n") for line in linecache.getlines(file))
        if text:
            self._written.add(file)
            emit(SourceText(file, 1, text, whole=True, sha256=_digest(file)))

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
