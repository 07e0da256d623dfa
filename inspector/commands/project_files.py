"""The Python files of a project, without those of what is installed in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

_INSTALLED = frozenset({"site-packages", "dist-packages", "node_modules", "__pycache__"})
_ENVIRONMENT = "pyvenv.cfg"


def python_files(folder: Path, on_error: Callable[[OSError], None] | None = None) -> Iterator[Path]:
    """Those at any depth, folder by folder; hidden folders and virtual environments are left out.

    Args:
        folder: The project.
        on_error: Is called with what cannot be read, and may raise it; else it is left out.
    """
    for place, folders, files in os.walk(folder, onerror=on_error):
        if _ENVIRONMENT in files and Path(place) != folder:
            folders.clear()
            continue
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _INSTALLED
        )
        yield from (Path(place, name) for name in sorted(files) if name.endswith(".py"))
