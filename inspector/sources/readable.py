"""Refuses what is no recording and no trace for a reason that can be seen before reading it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from inspector.errors import RecordingError

__all__ = ["check_readable"]


def check_readable(path: Path) -> None:
    """Refuses what is not there, and what may not be read.

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


def _forbidden(path: Path) -> RecordingError:
    return RecordingError(f"{path} may not be read.", "Ask its owner for a copy.")
