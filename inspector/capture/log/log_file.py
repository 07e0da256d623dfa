"""The log that one process writes: the text is torch's, the file is ours.

Torch's own `LazyTraceHandler` buffers, shares its file with forked processes (2.11), tells
``TORCH_LOGS`` about it (2.13), and has no limit. Here every record is one `os.write` to a file that
no other process has, so that a fork can neither repeat nor tear what its parent wrote.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import socket
import tempfile
from pathlib import Path

# As torch names its logs (LOG_PREFIX in torch/_logging/_internal.py), which other readers look for.
_PREFIX = "dedicated_log_torch_trace_"
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9.-]+")
# An empty file, so that it can be made on a full disk; the error's number is added to the name.
_FAILED = "log_failed"


def begins_with(rank: int | None) -> str:
    """How the name of this process's log begins: rank, machine and process id."""
    named = f"rank_{rank}_" if rank is not None else ""
    host = _NOT_IN_NAMES.sub("-", socket.gethostname())[:40]
    return f"{_PREFIX}{named}{host}_{os.getpid()}_"


class LogFile:
    """A file that takes whole records, made with the first one.

    Its name begins with `begin`, and letters that no other file has follow.

    Attributes:
        is_stopped: It takes no more, because a record could not be written.
    """

    def __init__(self, folder: Path, formatter: logging.Formatter, begin: str) -> None:
        self.is_stopped = False
        self.size_bytes = 0
        self._format = formatter.format
        self._folder = folder
        self._begin = begin
        self._descriptor: int | None = None

    def append(self, record: logging.LogRecord) -> None:
        """Writes a record, unless nothing is written any more."""
        if self.is_stopped:
            return
        # What torch's own writer cannot write is spelled out.
        data = (self._format(record) + "\n").encode("utf-8", "backslashreplace")
        try:
            self._write(data)
        except OSError as error:
            # After a record that may be cut off; the reader finds the empty file.
            self.is_stopped = True
            with contextlib.suppress(OSError):
                (self._folder / f"{_FAILED}.{error.errno or 0}").touch()
            return
        self.size_bytes += len(data)

    def close(self) -> None:
        """Closes the file; in a forked process, its own handle on the parent's."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = None

    def _write(self, data: bytes) -> None:
        if self._descriptor is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._descriptor, _ = tempfile.mkstemp(".log", self._begin, self._folder)
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]
