"""The one handler on torch's trace: writes the log and adds what only the process knows."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import sys
from collections.abc import Mapping
from pathlib import Path

from inspector.capture import versions
from inspector.capture.sources import SourceWriter
from inspector.capture.writer import PREFIX, guarded, write_artifact

__all__ = ["TraceHandler", "attach_handler"]

_TRACE_LOGGER = "torch.__trace"
# An empty file, so that it can be made on a full disk; the error's number is added to the name.
_FAILED = "log_failed"


class TraceHandler(logging.Handler):
    """Hands every record to torch's own log writer, then looks at some of them.

    An exception in a handler on this logger would reach the user's program, so none leaves `emit`.
    """

    def __init__(self, folder: Path, sources: SourceWriter) -> None:
        from torch._logging import _internal

        super().__init__(logging.DEBUG)
        self._log = _internal.LazyTraceHandler(str(folder))
        self._log.setFormatter(_internal.TorchLogsFormatter(trace=True))
        self._log.handleError = _raise_again
        self._folder = folder
        self._sources = sources
        self._strings: dict[int, str] = {}
        self._stopped = False
        self._failing = False

    def emit(self, record: logging.LogRecord) -> None:
        """Writes a record; whatever goes wrong is recorded where it can be."""
        if self._stopped:
            return
        guarded("write the log", lambda: self._write(record))
        guarded("look at a record", lambda: self._look(record))

    def _write(self, record: logging.LogRecord) -> None:
        try:
            self._log.emit(record)
        except OSError as error:
            self._stop(error)
        except Exception:
            if self._failing:
                return  # this record is the one that says what failed: it would go on forever
            self._failing = True
            raise
        else:
            self._failing = False

    def _stop(self, error: OSError) -> None:
        """Writes no more, after a record that may be cut off; the recorder finds the empty file."""
        self._stopped = True
        with contextlib.suppress(OSError):
            (self._folder / f"{_FAILED}.{error.errno or 0}").touch()

    def _look(self, record: logging.LogRecord) -> None:
        metadata = getattr(record, "metadata", None)
        if not isinstance(metadata, Mapping):
            return
        if "str" in metadata:
            text, number = metadata["str"]
            self._strings[number] = text
        elif "dynamo_start" in metadata:
            for frame in metadata["dynamo_start"]["stack"]:
                self._sources.add(self._strings.get(frame["filename"], ""), frame["line"])
        elif metadata.get("artifact", {}).get("name") == "dynamo_graph_break_reason":
            self._add_positions()

    def _add_positions(self) -> None:
        positions = versions.positions_of_graph_break() or []
        if positions:
            fields = [dataclasses.asdict(position) for position in positions]
            write_artifact("graph_break", {"v": 1, "positions": fields})
        for position in positions:
            self._sources.add(position.file, position.line)


def _raise_again(_record: logging.LogRecord) -> None:
    """In place of `logging.Handler.handleError`, which prints to the user's standard error."""
    error = sys.exc_info()[1]
    if error is not None:
        raise error


class _NotOurs(logging.Filter):
    """Keeps our artifacts out of the trace that the user asked for with ``TORCH_TRACE``."""

    def filter(self, record: logging.LogRecord) -> bool:
        metadata = getattr(record, "metadata", None)
        artifact = metadata.get("artifact") if isinstance(metadata, Mapping) else None
        name = artifact.get("name") if isinstance(artifact, Mapping) else None
        return not str(name).startswith(PREFIX)


def attach_handler(folder: Path) -> SourceWriter:
    """Begins to write a trace into a folder, beside whatever the user already has there."""
    sources = SourceWriter()
    logger = logging.getLogger(_TRACE_LOGGER)
    for other in logger.handlers:
        other.addFilter(_NotOurs())
    logger.setLevel(logging.DEBUG)
    logger.addHandler(TraceHandler(folder, sources))
    return sources
