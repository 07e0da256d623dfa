"""What lies in a folder: logs, and what recorded processes left there that logs could not hold."""

import dataclasses
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from inspector.run.run import LogWarning
from inspector.shared.meta import META_FILE

_NUMBER = re.compile("([0-9]+)")
_FAILED = "log_failed"  # the name, and the error's number, as capture/log_file.py writes it
_LOGS = (".log", ".log.gz")


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """What lies below a folder."""

    logs: tuple[Path, ...]
    recordings: tuple[Path, ...]
    warnings: tuple[LogWarning, ...]


def find_logs(folder: Path) -> Found:
    """Looks through a folder, without what is hidden and without the recordings in it."""
    logs: list[Path] = []
    recordings: list[Path] = []
    failed: list[OSError] = []
    for parent, folders, files in os.walk(folder, onerror=failed.append):
        logs += [path for path in (Path(parent, name) for name in files) if _is_log(path)]
        below = [Path(parent, name) for name in folders if not name.startswith(".")]
        recordings += [path for path in below if os.path.isfile(path / META_FILE)]  # noqa: PTH113 - Path's raises where a folder may not be looked into
        folders[:] = [path.name for path in below if path not in recordings]
    return Found(
        tuple(sorted(logs, key=_order)),
        tuple(recordings),
        tuple(
            LogWarning(
                os.path.relpath(os.fsdecode(error.filename), folder),
                0,
                f"the folder cannot be read: {error.strerror}",
            )
            for error in failed
        ),
    )


def _is_log(path: Path) -> bool:
    if not path.name.endswith(_LOGS):
        return False
    try:
        return path.is_file()
    except OSError:
        return True  # reading it says what is wrong


def _order(path: Path) -> list[list[str | int]]:
    """The order of their paths, in which rank 2 comes before rank 10."""
    return [
        # Every other part is digits.
        [int(part) if index % 2 else part for index, part in enumerate(_NUMBER.split(name))]
        for name in path.parts
    ]


def failures_of_logs(folder: Path) -> Iterator[tuple[Path, str]]:
    """The files that say that a log was not written to its end, each with the reason."""
    for path in sorted(folder.glob(f"{_FAILED}.*")):
        number = path.suffix.removeprefix(".")
        yield path, os.strerror(int(number)) if number.isdecimal() else "unknown error"


def notes(folder: Path) -> Iterator[LogWarning]:
    """What kept processes from being recorded (``problem.<pid>.json``, capture/begin.py)."""
    for path in sorted(folder.glob("problem.*.json")):
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            message = f"{fields['where']}: {fields['error']}"
        except (OSError, ValueError, LookupError, TypeError):
            message = "a process could not be recorded, for an unknown reason"
        yield LogWarning(path.name, 0, message)
