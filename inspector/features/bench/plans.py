"""``bench.json`` and ``warmup.json`` of `inspect bench`: what was asked for, and how it ended."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from inspector.errors import RecordingError
from inspector.shared.bench import BenchPlan
from inspector.shared.warmup import WarmupPlan

_BENCH = "bench.json"
_WARMUP = "warmup.json"
_P = TypeVar("_P", BenchPlan, WarmupPlan)


def write_plan(folder: Path, plan: BenchPlan | WarmupPlan) -> None:
    """Writes the file of a recording."""
    file = folder / (_BENCH if isinstance(plan, BenchPlan) else _WARMUP)
    try:
        file.write_text(plan.to_json(), encoding="utf-8")
    except OSError as error:
        message = f"{file} cannot be written ({error.strerror})."
        raise RecordingError(message, "Choose a place with --save DIR.") from error


def read_plan(folder: Path) -> BenchPlan:
    """Reads that of a bench."""
    if not (folder / _BENCH).is_file():
        message = "There are no measurements of `inspect bench` in this recording."
        raise RecordingError(message, "Make some with: inspect bench model.py")
    return _read(BenchPlan, folder / _BENCH)


def has_warmup(folder: Path) -> bool:
    """Whether a recording is one of a warm-up."""
    return (folder / _WARMUP).is_file()


def read_warmup(folder: Path) -> WarmupPlan:
    """Reads that of a warm-up."""
    return _read(WarmupPlan, folder / _WARMUP)


def _read(kind: type[_P], file: Path) -> _P:
    try:
        return kind.from_json(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        message = f"{file.name} of the recording cannot be read: {error}."
        raise RecordingError(message, "Measure again with: inspect bench") from error
