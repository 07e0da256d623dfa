"""The one handler on torch's trace: writes the log and adds what only the process knows."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping
from pathlib import Path

from inspector.capture import versions
from inspector.capture.sources import SourceWriter
from inspector.capture.writer import PREFIX, guarded, write_artifact

__all__ = ["TraceHandler", "attach_handler"]

_TRACE_LOGGER = "torch.__trace"


class TraceHandler(logging.Handler):
    """Hands every record to torch's own log writer, then looks at some of them.

    An exception in a handler on this logger would reach the user's program, so none leaves `emit`.
    """

    def __init__(self, folder: Path, sources: SourceWriter) -> None:
        from torch._logging import _internal

        super().__init__(logging.DEBUG)
        self._log = _internal.LazyTraceHandler(str(folder))
        self._log.setFormatter(_internal.TorchLogsFormatter(trace=True))
        self._sources = sources
        self._strings: dict[int, str] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Writes a record; whatever goes wrong is recorded where it can be."""
        guarded("write the log", lambda: self._log.emit(record))
        guarded("look at a record", lambda: self._look(record))

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
