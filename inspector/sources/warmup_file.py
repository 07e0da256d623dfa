"""``warmup.json`` in a recording of `inspect bench --warmup`, and the files next to it."""

from __future__ import annotations

from pathlib import Path

from inspector.errors import RecordingError
from inspector.model.warmup import WarmupPlan
from inspector.sources.own_file import write_own_file

_FILE = "warmup.json"


def has_warmup(folder: Path) -> bool:
    """Whether a recording is one of a warm-up."""
    return (folder / _FILE).is_file()


def write_warmup(folder: Path, plan: WarmupPlan) -> None:
    """Writes the file.

    Raises:
        RecordingError: It cannot be written.
    """
    write_own_file(folder / _FILE, plan.to_json())


def read_warmup(folder: Path) -> WarmupPlan:
    """Reads the file.

    Raises:
        RecordingError: It cannot be read.
    """
    try:
        return WarmupPlan.from_json((folder / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        message = f"{_FILE} of the recording cannot be read: {error}."
        step = "Measure again with: inspect bench model.py --warmup"
        raise RecordingError(message, step) from error
