"""The standard streams: what they cannot encode, and what cannot be written to them."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path


def prepare_streams() -> None:
    """Escapes what the output's encoding lacks: a path may hold any bytes, a pipe be ASCII."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller: ``>&-``
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
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
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
