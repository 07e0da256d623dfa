"""What recorded processes left beside their logs because they could not say it in them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from inspector.model.run import LogWarning

_FAILED = "log_failed"  # the name, and the error's number, as capture/log_file.py writes it


def failures_of_logs(folder: Path) -> Iterator[tuple[Path, str]]:
    """The files that say that a log was not written to its end, each with the reason."""
    for path in sorted(folder.glob(f"{_FAILED}.*")):
        number = path.suffix.removeprefix(".")
        yield path, os.strerror(int(number)) if number.isdecimal() else "unknown error"


def notes(folder: Path) -> Iterator[LogWarning]:
    """What kept processes from being recorded (``problem.<pid>.json``, capture/outcome.py)."""
    for path in sorted(folder.glob("problem.*.json")):
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            message = f"{fields['where']}: {fields['error']}"
        except (OSError, ValueError, LookupError, TypeError):
            message = "a process could not be recorded, and could not say why"
        yield LogWarning(path.name, 0, message)
