"""The folder of the last recordings: ``.inspector`` in the working directory.

``INSPECTOR_DIR`` can name any folder, the user's own too: nothing in it is touched but recordings.
``INSPECTOR_KEEP`` says how many are kept; one with a name instead of a number is never deleted.
"""

import contextlib
import json
import os
import platform
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from inspector.errors import RecordingError, UsageError
from inspector.shared.meta import META_FILE

_KEPT = 10
_KEPT_BYTES = 1 << 30
# What the description of every recording has, whatever its format's version.
_OUR_FIELDS = {"format_version", "tool_version"}


def store_place() -> Path:
    """The folder, whether it is there or not."""
    return Path(os.environ.get("INSPECTOR_DIR") or ".inspector")


def new_recording() -> Path:
    """Makes the folder of the next recording and returns it."""
    folder = store_place()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not any(folder.iterdir()):  # else it is there already, or the folder is not ours
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")
        is_writable = os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        is_writable = False
    if not is_writable:  # keep the recording all the same; its path is printed
        folder = Path(tempfile.mkdtemp(prefix="inspector-"))
    number = max((int(path.name) for path in folder.iterdir() if _is_number(path.name)), default=0)
    while True:
        number += 1
        try:
            (folder / str(number)).mkdir()
        except FileExistsError:
            continue  # another recorder took the number in between
        return folder / str(number)


def newest_recording() -> Path:
    """The newest recording that has ended, or where none has, the newest that was cut off.

    Raises:
        RecordingError: There is none, or it is still being recorded.
    """
    found = _recordings(store_place())
    cut_off = [path for path, meta in found.items() if not _is_running(meta)]
    ended = [path for path in cut_off if found[path].get("ended") != "running"]
    if cut_off:
        return (ended or cut_off)[-1]
    if found:
        message = f"The recording {[*found][-1]} is still in progress."
        raise RecordingError(message, "Wait until it finishes, or pass its name to read it now.")
    message = "There are no recordings here yet."
    raise RecordingError(message, "Record one with: inspect explain model.py")


def is_store(folder: Path) -> bool:
    """Whether recordings come into this folder by themselves, and go again."""
    return folder.resolve() == store_place().resolve()


def recordings_limit() -> int:
    """How many recordings without a name are kept."""
    text = os.environ.get("INSPECTOR_KEEP", "")
    return int(text) if text.isdecimal() and int(text) else _KEPT


def stored_recordings() -> Mapping[Path, Mapping[str, object]]:
    """The recordings of the store, oldest first, with what their descriptions say."""
    return _recordings(store_place())


def stored_recording(name: str) -> Path:
    """The recording of that number or name.

    Raises:
        UsageError: There is none.
    """
    found = store_place() / name
    if found not in stored_recordings():
        message = f"There is no recording {name!r} in {store_place()}."
        raise UsageError(message, "Run: inspect list")
    return found


def prune(newest: Path) -> None:
    """Deletes the oldest recordings without a name beyond the last 10 or 1 GB.

    Never deleted are the newest one, those that are being recorded, and what is no recording.
    """
    others = {
        path: meta
        for path, meta in _recordings(newest.parent).items()
        if path != newest and _is_number(path.name)
    }
    total_bytes = 0
    for position, (path, meta) in enumerate(reversed(others.items()), 1):
        total_bytes += size_bytes(path)
        if (position >= recordings_limit() or total_bytes > _KEPT_BYTES) and not _is_running(meta):
            shutil.rmtree(path, ignore_errors=True)


def recorder_mark() -> dict[str, object]:
    """What a recording's description says of its recorder as long as that is at work."""
    return {"recorder": {"host": platform.node(), "pid": os.getpid()}}


def _recordings(folder: Path) -> dict[Path, Mapping[str, object]]:
    """The recordings, oldest first, with what their descriptions say."""
    if not folder.is_dir():
        return {}
    described = {path: _description(path) for path in folder.iterdir()}
    ours = {path: meta for path, meta in described.items() if meta.keys() >= _OUR_FIELDS}
    return {path: ours[path] for path in sorted(ours, key=lambda path: _age(path, ours[path]))}


def _age(path: Path, meta: Mapping[str, object]) -> tuple[str, int]:
    """Numbers tell those of one second apart."""
    return str(meta.get("started", "")), int(path.name) if _is_number(path.name) else 0


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit()


def _description(path: Path) -> Mapping[str, object]:
    try:
        fields = json.loads((path / META_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _is_running(meta: Mapping[str, object]) -> bool:
    """Whether its recorder is at work; of another machine's nobody here can know."""
    recorder = meta.get("recorder")
    if meta.get("ended") != "running" or not isinstance(recorder, Mapping):
        return False
    pid = recorder.get("pid")
    if recorder.get("host") != platform.node() or not isinstance(pid, int):
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's process
    return True


def size_bytes(folder: Path) -> int:
    """What a recording takes on the disk."""
    total = 0
    for file in folder.rglob("*"):
        with contextlib.suppress(OSError):  # another recorder may be deleting it
            total += file.stat().st_size
    return total
