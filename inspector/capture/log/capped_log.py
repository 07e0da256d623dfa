"""A process's log that is kept below a size: the oldest details go, and what is counted stays.

Its files, each a trace by itself, are in docs/recording.md: ``NAME.log`` is never dropped; above
the limit the oldest ``NAME.rest-….log`` is deleted, and what went is counted in ``NAME.log``.
"""

from __future__ import annotations

import collections
import logging
import os
from pathlib import Path

from inspector.capture.log.log_file import LogFile
from inspector.capture.writer import artifact_name, record_for_log, trace_record
from inspector.records.environment import Dropped
from inspector.records.record import PREFIX
from inspector.trace.fields import nanoseconds

_SEGMENTS = 16
_SECOND_NS = 1_000_000_000
_KEPT_KEYS = {"str", "dynamo_start", "dynamo_output_graph", "compilation_metrics"}
_KEPT_NAMES = {
    "dynamo_graph_break_reason", "dynamo_error", "recompile_reasons",
    *(f"{PREFIX}{name}" for name in (
        "call", "caller", "end", "environment", "graph_break", "problem", "recompile",
        "skipped_frame", "source", "target",
    )),
}  # fmt: skip
# The fields of compilation_metrics that a reader uses (inspector.trace.dynamo).
_METRICS = (
    "co_name", "co_filename", "co_firstlineno", "has_guarded_code", "graph_op_count", "guard_count",
    "fail_type", "fail_reason", "fail_user_frame_filename", "fail_user_frame_lineno",
    "restart_reasons", "recompile_reason", "start_time", "entire_frame_compile_time_s",
)  # fmt: skip


class _Details(LogFile):
    """A file of details, with the compilations that ended while it was written."""

    compilations = 0
    compile_time_ns = 0


class CappedLog:
    """Takes what a `LogFile` takes, and keeps the size of all files below a limit."""

    def __init__(
        self, folder: Path, formatter: logging.Formatter, name: str, max_bytes: int
    ) -> None:
        self._folder = folder
        self._name = name + os.urandom(4).hex()
        self._formatter = formatter
        self._max_bytes = max_bytes
        self._kept = LogFile(folder, formatter, name, self._name + ".log")
        self._details: collections.deque[_Details] = collections.deque()
        self._made = 0
        self._is_idle = True
        self._without_details = 0
        self._dropped_ns = 0

    def append(self, record: logging.LogRecord) -> None:
        """Writes a record where it belongs, and drops what is too much then."""
        metadata = record.__dict__["metadata"]
        details = self._current()
        if artifact_name(metadata) in _KEPT_NAMES or _KEPT_KEYS & metadata.keys():
            self._kept.append(_thin(record))
        else:
            details.append(record)
        if "dynamo_start" in metadata:
            self._is_idle = False
        elif "compilation_metrics" in metadata:
            self._is_idle = True
            seconds = metadata["compilation_metrics"].get("entire_frame_compile_time_s")
            details.compilations += 1
            details.compile_time_ns += nanoseconds(seconds, _SECOND_NS) or 0
        files = (self._kept, *self._details)
        while self._details and sum(file.size_bytes for file in files) > self._max_bytes:
            self._drop()
            files = (self._kept, *self._details)

    def close(self) -> None:
        """Closes all files."""
        for file in (self._kept, *self._details):
            file.close()

    def _current(self) -> _Details:
        """The file to write to; a new one begins between compilations, where that can be."""
        limit = self._max_bytes // _SEGMENTS
        size = self._details[-1].size_bytes if self._details else 2 * limit
        if size >= 2 * limit or (size >= limit and self._is_idle):
            if self._details:
                self._details[-1].close()
            self._made += 1
            name = f"{self._name}.rest-{self._made:06}.log"
            self._details.append(_Details(self._folder, self._formatter, self._name, name))
        return self._details[-1]

    def _drop(self) -> None:
        oldest = self._details.popleft()
        oldest.delete()
        self._without_details += oldest.compilations
        self._dropped_ns += oldest.compile_time_ns
        if oldest.compilations:
            dropped = Dropped(self._max_bytes, self._without_details, self._dropped_ns)
            self._kept.append(record_for_log(dropped))


def _thin(record: logging.LogRecord) -> logging.LogRecord:
    """What a report needs of a record."""
    metadata = dict(record.__dict__["metadata"])
    payload = record.__dict__["payload"]
    if "compilation_metrics" in metadata:
        fields = metadata["compilation_metrics"]
        metadata["compilation_metrics"] = {name: fields.get(name) for name in _METRICS}
    elif "dynamo_output_graph" in metadata:
        metadata["dynamo_output_graph"] = {}
        metadata.pop("has_payload", None)
        payload = None
    return trace_record(metadata, payload)
