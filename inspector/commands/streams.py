"""The standard streams: what they cannot encode, and what cannot be written to them."""

from __future__ import annotations

import errno
import io
import os
import sys
from pathlib import Path


class _Closed(io.TextIOBase):
    """Standard output that the caller has closed (``>&-``): Python has None for it."""

    def __init__(self) -> None:
        self._error: OSError | None = None

    def write(self, text: str, /) -> int:
        del text
        self._error = OSError(errno.EBADF, "it is closed")
        raise self._error

    def flush(self) -> None:
        if self._error is not None:
            raise self._error


def prepare_streams() -> None:
    """Escapes what the output's encoding lacks: a path may hold any bytes, a pipe be ASCII.

    A command that writes nothing to a closed standard output works as ever.
    """
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to the end
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)  # not there when somebody replaced it
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def stdout_fails(error: OSError) -> bool:
    """Whether standard output is what could not be written."""
    try:
        sys.stdout.flush()  # what could not be written is still in its buffer
    except OSError:
        return True
    # Without a buffer (python -u): what is written by its name says the name.
    is_unbuffered = isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase)
    return is_unbuffered and error.filename is None


def abandon_stdout() -> None:
    """Keeps the interpreter from failing again when it flushes standard output at its end."""
    if isinstance(sys.stdout, _Closed):
        sys.stdout = _Closed()
    else:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
