"""Whether the ``inspect`` on the PATH is ours: another popular package installs one too."""

from __future__ import annotations

import shutil
import sysconfig
import zipfile
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

OUR_MODULE = b"inspector.commands"


@dataclass(frozen=True, slots=True)
class Ownership:
    """What typing ``inspect`` runs.

    Attributes:
        path: The program, or None if there is none.
        ours: Whether it starts this package.
        here: Whether it lies in the environment that runs this.
        rival: The other distribution of this environment that installs an ``inspect``, or None.
        alternative: The ``torch-inspector`` on the PATH, or None.
    """

    path: str | None
    ours: bool
    here: bool
    rival: str | None
    alternative: str | None


def find_inspect() -> Ownership:
    """Looks ``inspect`` up as the shell would."""
    path = shutil.which("inspect")
    return Ownership(
        path=path,
        ours=path is not None and _starts_us(Path(path)),
        here=path is not None and Path(path).parent == Path(sysconfig.get_path("scripts")),
        rival=_rival(),
        alternative=shutil.which("torch-inspector"),
    )


def _starts_us(path: Path) -> bool:
    """Installers write a script of a few lines; on Windows a launcher with a zip of it behind."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return any(OUR_MODULE in archive.read(name) for name in archive.namelist())
        return OUR_MODULE in path.read_bytes()
    except (OSError, zipfile.BadZipFile):
        return False


def _rival() -> str | None:
    points = entry_points(group="console_scripts", name="inspect")
    others = (point.dist.name for point in points if point.dist)
    return next((name for name in others if name.replace("_", "-") != "torch-inspector"), None)
