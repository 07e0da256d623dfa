"""``bench.json`` in a recording of `inspect bench`: what was to be measured, and how it ended."""

from __future__ import annotations

from pathlib import Path

from inspector.errors import RecordingError
from inspector.model.bench import BenchPlan
from inspector.sources.own_file import write_own_file

_FILE = "bench.json"


def write_plan(folder: Path, plan: BenchPlan) -> None:
    """Writes the file.

    Raises:
        RecordingError: It cannot be written.
    """
    write_own_file(folder / _FILE, plan.to_json())


def read_plan(folder: Path) -> BenchPlan:
    """Reads the file.

    Raises:
        RecordingError: There is none, or it cannot be read.
    """
    try:
        return BenchPlan.from_json((folder / _FILE).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        message = "There are no measurements of `inspect bench` in this recording."
        raise RecordingError(message, "Make some with: inspect bench model.py") from error
    except (OSError, ValueError) as error:
        message = f"{_FILE} of the recording cannot be read: {error}."
        raise RecordingError(message, "Measure again with: inspect bench model.py") from error
