"""The folders of this process: whose code is whose, and which frames are ours."""

from __future__ import annotations

import functools
import site
import sysconfig
from pathlib import Path

import torch

from inspector.shared.roots import Roots


@functools.cache
def recorded_roots() -> Roots:
    """The roots, without a project, which only the one who runs something in it knows."""
    paths = sysconfig.get_paths()
    folders = {paths["purelib"], paths["platlib"], *site.getsitepackages()}
    if site.ENABLE_USER_SITE:
        folders.add(site.getusersitepackages())
    return Roots(
        torch=str(Path(torch.__file__).parent),
        stdlib=paths["stdlib"],
        site=tuple(sorted(folders)),
        own=str(Path(__file__).resolve().parent.parent),
    )


def is_of_project(file: str | Path, root: str | Path) -> bool:
    """Whether a file is below the project's folder, and not of a package that is installed there.

    The project may be an installed package itself; `root` is empty where there is none.
    """
    path = Path(file)
    if not root or not path.is_relative_to(root):
        return False
    return not any(part.endswith("-packages") for part in path.relative_to(root).parts)
