"""The folders of this process: whose code is whose, and which frames are ours."""

from __future__ import annotations

import functools
import site
import sysconfig
from pathlib import Path

import torch

from inspector.model.roots import Roots


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
