"""Which files are of the user's project."""

from __future__ import annotations

from pathlib import Path


def is_of_project(file: str | Path, root: str | Path) -> bool:
    """Whether a file is below the project's folder, and not of a package that is installed there.

    The project may be an installed package itself.

    Args:
        file: The file.
        root: The project's folder; an empty string where there is none.
    """
    path = Path(file)
    if not root or not path.is_relative_to(root):
        return False
    return not any(part.endswith("-packages") for part in path.relative_to(root).parts)
