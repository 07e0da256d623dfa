"""The folder of the last recordings: ``.inspector`` in the working directory."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from inspector.errors import RecordingError
from inspector.sources.meta import META_FILE

__all__ = ["new_recording", "newest_recording", "prune"]

_KEPT = 10
_KEPT_BYTES = 1 << 30


def _store(*, create: bool) -> Path:
    folder = Path(os.environ.get("INSPECTOR_DIR") or ".inspector")
    if not create:
        return folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError:
        # A read-only working directory: keep the recording all the same; its path is printed.
        return Path(tempfile.mkdtemp(prefix="inspector-"))
    return folder


def _numbered(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    found = [path for path in folder.iterdir() if path.name.isdigit() and path.is_dir()]
    return sorted(found, key=lambda path: int(path.name))


def new_recording() -> Path:
    """Makes the folder of the next recording and returns it."""
    folder = _store(create=True)
    number = max((int(path.name) for path in _numbered(folder)), default=0)
    while True:
        number += 1
        try:
            (folder / str(number)).mkdir()
        except FileExistsError:
            continue  # another recorder took the number in between
        return folder / str(number)


def newest_recording() -> Path:
    """The newest recording that has ended.

    Raises:
        RecordingError: There is none.
    """
    for path in reversed(_numbered(_store(create=False))):
        if (path / META_FILE).is_file():
            return path
    message = "There is no recording here yet."
    raise RecordingError(message, "Record one with: inspect explain model.py")


def prune(newest: Path) -> None:
    """Deletes the oldest recordings beyond the last 10 or 1 GB; never the newest one."""
    recordings = _numbered(newest.parent)
    total_bytes = 0
    for position, path in enumerate(reversed(recordings)):
        total_bytes += sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        if path != newest and (position >= _KEPT or total_bytes > _KEPT_BYTES):
            shutil.rmtree(path, ignore_errors=True)
