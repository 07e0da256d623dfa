"""Loads the user's files from their source, with changes that are to be tried, if there are any.

The files stay as they are. A changed one keeps the numbers of its lines, so that it is traced by
Dynamo and reported like the file on disk.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.errors import UsageError
from inspector.model.edit import Edit, edited

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType

# By file: a process is made to try something, and does nothing else.
_edits: dict[str, list[Edit]] = {}
_made: set[str] = set()
_PLAIN = importlib.machinery.SourceFileLoader.get_code


class SourceLoader(importlib.machinery.SourceFileLoader):
    """Compiles a file from its source and leaves no ``__pycache__`` in the user's folder."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the file; never that of a cache."""
        path = self.get_filename(fullname)
        source: bytes | str = self.get_data(path)
        key = os.path.realpath(path)
        if key in _edits and isinstance(source, bytes):
            source = edited(importlib.util.decode_source(source), _edits[key])
            _made.add(key)
        return self.source_to_code(source, path)


def edit_imports(edits: Iterable[Edit]) -> None:
    """Makes changes in the files that are imported from now on, in memory alone.

    Whoever finds a module (`sys.path`, an editable installation, the program itself by
    ``spec_from_file_location``), it is Python's own loader that reads it.
    """
    for edit in edits:
        _edits.setdefault(os.path.realpath(edit.file), []).append(edit)
    if _edits:
        importlib.machinery.SourceFileLoader.get_code = _get_code  # type: ignore[method-assign, assignment]


def check_edited() -> None:
    """Raises where a changed file was not loaded: what was recorded says nothing of the change."""
    missing = sorted(_edits.keys() - _made)
    if missing:
        raise UsageError(
            f"{Path(missing[0]).name} was not loaded with the change.", "Make it in the file."
        )


def _get_code(self: importlib.machinery.SourceFileLoader, fullname: str) -> CodeType | None:
    if os.path.realpath(self.get_filename(fullname)) not in _edits:
        return _PLAIN(self, fullname)
    return SourceLoader.get_code(self, fullname)  # type: ignore[arg-type]
