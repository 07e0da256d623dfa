"""Begins the recording of a process that asks for it, and says outside of its log how it ended.

``INSPECTOR_RECORD`` names the recording. It is called in the middle of ``import torch``, in every
process that imports it (`autoload`, or the entry point of the installed package), so it does
little: what needs torch itself waits for the first record of the trace.
"""

import atexit
import contextlib
import json
import os
import socket
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from inspector.errors import InspectorError
from inspector.shared.meta import META_FILE, Meta, begun_meta
from inspector.version import __version__


def begin() -> None:
    """Begins to record, unless this process is being recorded or nobody asks for it.

    Whatever goes wrong, ``import torch`` goes on; the recording gets a file that says what it was.
    """
    asked = os.environ.get("INSPECTOR_RECORD")
    if not asked:
        return
    folder = Path(asked).absolute()  # the program may change the working directory
    try:
        _begin(folder)
    except Exception as error:  # noqa: BLE001 - a recorder never breaks `import torch`
        write_problem(folder, "recording could not start in a process", error)


def _begin(folder: Path) -> None:
    from inspector.capture.recording.handler import attached_handler

    # The package can be installed and on the path: the entry points of both are called.
    if attached_handler().is_attached:
        return
    from inspector.capture.recording.handler import attach
    from inspector.shared.units import parse_size

    limit = os.environ.get("INSPECTOR_MAX_BYTES", "").strip()  # as --max-bytes
    most = parse_size(limit) if limit else None
    attached = attach(folder, os.getcwd(), most)  # noqa: PTH109 - as the program sees it
    attached.log.watch_end()
    if os.environ.get("INSPECTOR_MEASURE") == "1":
        attached_handler().measures = True
    describe(folder)


_NO_END = "its first process is still running or was killed"


def describe(folder: Path) -> None:
    """Writes the description, whole, unless another process or a recorder has done so.

    The process that does so also says in it that it came to its end, when it does: that is the one
    which imported torch first (a launcher, the parent of a pool), and so the last to end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    meta = begun_meta(folder.name, _program(), {"caches": "user"}, _NO_END)
    if _write_meta(folder, meta, is_first=True):
        atexit.register(_say_end, folder, meta, os.getpid())


def _say_end(folder: Path, meta: Meta, pid: int) -> None:
    if pid == os.getpid():  # a fork of it has the same functions to call
        with contextlib.suppress(Exception):  # Python would print it under the program's output
            _write_meta(folder, replace(meta, partial="", ended="whole"), is_first=False)


def _write_meta(folder: Path, meta: Meta, *, is_first: bool) -> bool:
    """Writes the file; whether it did, because nobody else had where this is to be the first."""
    if is_first and (folder / META_FILE).exists():
        return False
    part = folder / f"{META_FILE}.{os.getpid()}.part"
    writer = {"host": socket.gethostname(), "pid": os.getpid()}
    text = meta.text({"tool_version": __version__, "first_process": writer})
    part.write_text(text, encoding="utf-8")
    try:
        if is_first:
            os.link(part, folder / META_FILE)  # fails where there is one; renaming would not
        else:
            part.replace(folder / META_FILE)
    except FileExistsError:
        return False
    finally:
        part.unlink(missing_ok=True)
    return True


def _program() -> str:
    """The program's name as it was called, without its arguments."""
    name = next(iter(getattr(sys, "argv", ())), "")
    with contextlib.suppress(ValueError, OSError):
        return str(Path(name).absolute().relative_to(Path.cwd())) if name else ""
    return name


def write_outcome(recording: Path, error: InspectorError) -> None:
    """Writes ``outcome.json``: the sentence, the next step, the user's traceback, the exit code."""
    fields = {
        "message": error.message,
        "next_step": error.next_step,
        "detail": error.detail,
        "exit_code": error.exit_code,
    }
    if not _write_whole(recording, fields):
        sys.stderr.write(f"error: {error}\n{error.detail}\n")


def write_orderly_end(recording: Path) -> None:
    """Writes ``outcome.json`` where nothing failed; without the file the process ended early."""
    _write_whole(recording, {"exit_code": 0})


def _write_whole(recording: Path, fields: Mapping[str, object]) -> bool:
    """Writes the file whole or not at all; whether it could be written."""
    part = recording / "outcome.json.part"
    try:
        part.write_text(json.dumps({"v": 1, **fields}), encoding="utf-8")
        part.replace(recording / "outcome.json")
    except OSError:
        return False
    return True


def write_problem(recording: Path, where: str, error: Exception) -> None:
    """Writes ``problem.<pid>.json``, if that can be done: there is no log to say it in."""
    fields = {"v": 1, "where": where, "error": repr(error)}
    with contextlib.suppress(OSError):
        recording.mkdir(parents=True, exist_ok=True)
        file = recording / f"problem.{os.getpid()}.json"
        file.write_text(json.dumps(fields), encoding="utf-8")
