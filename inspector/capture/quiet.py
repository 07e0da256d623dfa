"""Keeps what a model prints away from the terminal while it is called for the tenth time."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
import tempfile
from collections.abc import Iterator

_SHOWN_BYTES = 1 << 16
_STREAMS = (1, 2)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Sends standard output and standard error to a file, which is shown if an exception comes.

    The descriptors are changed and not Python's streams: what C++ code writes is caught too, and
    to write costs what it costs without us. A stream that does not write to its descriptor (in a
    notebook, say) is replaced meanwhile.
    """
    _flush()
    try:
        saved = [os.dup(number) for number in _STREAMS]
    except OSError:  # a stream is closed: there is nothing to keep away
        yield
        return
    with tempfile.TemporaryFile() as taken:
        for number in _STREAMS:
            os.dup2(taken.fileno(), number)
        try:
            with _without_own_streams(taken.fileno()):
                yield
        except BaseException:
            _give_back(saved)
            taken.seek(-min(_SHOWN_BYTES, taken.seek(0, os.SEEK_END)), os.SEEK_END)
            sys.stderr.write(taken.read().decode("utf-8", "replace"))
            raise
        _give_back(saved)


@contextlib.contextmanager
def quiet_operators() -> Iterator[None]:
    """Without torch's log of an operator that refuses its arguments while it is traced.

    The exception says the same. What the user asked torch to log is left as it is.
    """
    log = logging.getLogger("torch._subclasses.fake_tensor")
    before = log.disabled
    log.disabled = before or "TORCH_LOGS" not in os.environ
    try:
        yield
    finally:
        log.disabled = before


@contextlib.contextmanager
def quiet_compiler() -> Iterator[None]:
    """Without the warnings that torch logs while it compiles: the report has what they say.

    Errors are shown, and so is all where the user asks torch to log something.
    """
    handlers = {
        handler
        for name in tuple(logging.root.manager.loggerDict)
        if name.partition(".")[0] == "torch" and name != "torch.__trace"
        for handler in logging.getLogger(name).handlers
        if "TORCH_LOGS" not in os.environ
    }
    for handler in handlers:
        handler.addFilter(_is_error)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(_is_error)


def _is_error(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.ERROR


@contextlib.contextmanager
def _without_own_streams(descriptor: int) -> Iterator[None]:
    """Lets streams that are none of the process's own write to a file instead."""
    own = {name: getattr(sys, name) for name in ("stdout", "stderr")}
    with open(descriptor, "w", encoding="utf-8", errors="replace", closefd=False) as file:
        for (name, stream), number in zip(own.items(), _STREAMS, strict=True):
            if stream is not None and not _writes_to(stream, number):
                setattr(sys, name, file)
        try:
            yield
        finally:
            for name, stream in own.items():
                if getattr(sys, name) is file:
                    setattr(sys, name, stream)


def _writes_to(stream: object, number: int) -> bool:
    try:
        return isinstance(stream, io.TextIOWrapper) and stream.fileno() == number
    except (OSError, ValueError):
        return False


def _give_back(saved: list[int]) -> None:
    _flush()
    for number, before in zip(_STREAMS, saved, strict=True):
        os.dup2(before, number)
        os.close(before)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the program may have put anything there
            stream.flush()
