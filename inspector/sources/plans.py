"""``bench.json`` and ``warmup.json`` of `inspect bench`: what was asked for, and how it ended."""

from __future__ import annotations

from pathlib import Path

from inspector.errors import RecordingError
from inspector.model.bench import BenchPlan
from inspector.model.warmup import WarmupPlan

_BENCH = "bench.json"
_WARMUP = "warmup.json"


def write_plan(folder: Path, plan: BenchPlan | WarmupPlan) -> None:
    """Writes the file of a recording.

    Raises:
        RecordingError: It cannot be written.
    """
    file = folder / (_BENCH if isinstance(plan, BenchPlan) else _WARMUP)
    try:
        file.write_text(plan.to_json(), encoding="utf-8")
    except OSError as error:
        message = f"{file} cannot be written ({error.strerror})."
        raise RecordingError(message, "Choose a place with --save DIR.") from error


def read_plan(folder: Path) -> BenchPlan:
    """Reads that of a bench.

    Raises:
        RecordingError: There is none, or it cannot be read.
    """
    try:
        return BenchPlan.from_json((folder / _BENCH).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        message = "There are no measurements of `inspect bench` in this recording."
        raise RecordingError(message, "Make some with: inspect bench model.py") from error
    except (OSError, ValueError) as error:
        raise _unreadable(_BENCH, error, "inspect bench model.py") from error


def has_warmup(folder: Path) -> bool:
    """Whether a recording is one of a warm-up."""
    return (folder / _WARMUP).is_file()


def read_warmup(folder: Path) -> WarmupPlan:
    """Reads that of a warm-up.

    Raises:
        RecordingError: It cannot be read.
    """
    try:
        return WarmupPlan.from_json((folder / _WARMUP).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _unreadable(_WARMUP, error, "inspect bench model.py --warmup") from error


def _unreadable(file: str, error: Exception, again: str) -> RecordingError:
    message = f"{file} of the recording cannot be read: {error}."
    return RecordingError(message, f"Measure again with: {again}")
