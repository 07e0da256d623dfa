"""``meta.json`` of a recording that has no recorder: the first of its processes writes it."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import datetime as dt
import os
import socket
import sys
from pathlib import Path

from inspector.model.meta_file import FORMAT_VERSION, META_FILE, meta_text
from inspector.model.run import Meta
from inspector.version import __version__

_NO_END = (
    "the first of its processes has not said that it ended: it is still at work, or it was ended "
    "from outside"
)


def describe(folder: Path) -> None:
    """Writes the description, whole, unless another process or a recorder has done so.

    The process that does so also says in it that it came to its end, when it does: that is the one
    which imported torch first (a launcher, the parent of a pool), and so the last to end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    meta = Meta(
        format_version=FORMAT_VERSION,
        name=folder.name,
        target=_program(),
        settings={"caches": "user"},
        started=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        partial=_NO_END,
        ended="running",
    )
    if _write(folder, meta, is_first=True):
        atexit.register(_say_end, folder, meta, os.getpid())


def _say_end(folder: Path, meta: Meta, pid: int) -> None:
    if pid == os.getpid():  # a fork of it has the same functions to call
        with contextlib.suppress(Exception):  # Python would print it under the program's output
            _write(folder, dataclasses.replace(meta, partial="", ended="whole"), is_first=False)


def _write(folder: Path, meta: Meta, *, is_first: bool) -> bool:
    """Writes the file; whether it did, because nobody else had where this is to be the first."""
    if is_first and (folder / META_FILE).exists():
        return False
    part = folder / f"{META_FILE}.{os.getpid()}.part"
    writer = {"host": socket.gethostname(), "pid": os.getpid()}
    text = meta_text(meta, {"tool_version": __version__, "first_process": writer})
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
