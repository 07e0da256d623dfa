"""Writes the user's source files into the recording, so that a report reads the same elsewhere."""

from __future__ import annotations

import hashlib
import linecache

from inspector.capture.roots import recorded_roots
from inspector.capture.writer import write_artifact

__all__ = ["SourceWriter"]

_MOST_BYTES = 1 << 20


class SourceWriter:
    """Writes each file once: those of the user and of libraries, never torch's or Python's own."""

    def __init__(self) -> None:
        self._written: set[str] = set()

    def add(self, file: str) -> None:
        """Writes a file unless it was written before, is too large, or has no source."""
        if file in self._written:
            return
        self._written.add(file)
        if not recorded_roots().is_user(file):
            return
        # linecache also knows the source of notebook cells and of registered generated code.
        lines = linecache.getlines(file)
        text = "".join(lines)
        if not lines or len(text) > _MOST_BYTES:
            return
        write_artifact(
            "source",
            {
                "v": 1,
                "file": file,
                "first_line": 1,
                "lines": text.split("\n"),
                "whole": True,
                "sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
            },
        )
