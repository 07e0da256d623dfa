"""Loads the user's files from their source, with changes that are to be tried, if there are any.

The files stay as they are. A changed one keeps the numbers of its lines, so that it is traced by
Dynamo and reported like the file on disk.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from typing import TYPE_CHECKING

from inspector.model.edit import Edit, edited

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import CodeType, ModuleType

__all__ = ["SourceLoader", "edit_imports"]

# By file: a process is made to try something, and does nothing else.
_edits: dict[str, list[Edit]] = {}


class SourceLoader(importlib.machinery.SourceFileLoader):
    """Compiles a file from its source and leaves no ``__pycache__`` in the user's folder."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the file; never that of a cache.

        Raises:
            ValueError: A change is to be tried, and something else stands there.
        """
        path = self.get_filename(fullname)
        source: bytes | str = self.get_data(path)
        edits = _edits.get(os.path.realpath(path))
        if edits and isinstance(source, bytes):
            source = edited(importlib.util.decode_source(source), edits)
        return self.source_to_code(source, path)


class _EditedFinder(importlib.abc.MetaPathFinder):
    """Finds files with changes for `SourceLoader` and leaves all others to Python."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a module whose file is to be changed; None for any other."""
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader:
            return None
        if os.path.realpath(spec.loader.path) not in _edits:
            return None
        spec.loader = SourceLoader(spec.loader.name, spec.loader.path)
        return spec


def edit_imports(edits: Iterable[Edit]) -> None:
    """Makes changes in the files that are imported from now on, in memory alone."""
    for edit in edits:
        _edits.setdefault(os.path.realpath(edit.file), []).append(edit)
    if _edits:
        sys.meta_path.insert(0, _EditedFinder())
