"""Refuses what is no recording and no trace for a reason that can be seen before reading it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from inspector.errors import RecordingError

_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst")


def check_readable(path: Path) -> None:
    """Refuses what is not there, what may not be read, what has no end, and archives of others.

    Raises:
        RecordingError: It is one of these.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            path.open("rb").close()
    except PermissionError as error:
        raise _forbidden(path) from error
    except OSError as error:
        message = f"There is no recording or trace {path}."
        raise RecordingError(message, "Record one with: inspect explain model.py") from error
    if stat.S_ISDIR(mode) and not os.access(path, os.R_OK | os.X_OK):
        raise _forbidden(path)
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        message = f"{path} is neither a file nor a folder."
        raise RecordingError(message, "Write what it gives to a file, and name that.")
    if path.name.lower().endswith(_ARCHIVES) and stat.S_ISREG(mode):
        message = f"{path} is an archive, which is not read as it is."
        raise RecordingError(message, "Unpack it (tar -xf), and name the folder.")


def _forbidden(path: Path) -> RecordingError:
    return RecordingError(f"{path} may not be read.", "Ask its owner for a copy.")
