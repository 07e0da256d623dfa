"""A process's log that takes no details above half a size; what a report counts goes on."""

from __future__ import annotations

import logging
from pathlib import Path

from inspector.capture.log.log_file import LogFile
from inspector.capture.writer import artifact_name, record_for_log, trace_record
from inspector.records.environment import Dropped
from inspector.records.record import PREFIX
from inspector.trace.fields import nanoseconds

_SECOND_NS = 1_000_000_000
_DETAILS = 0.5  # of the limit; the rest is for what is counted
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


class CappedLog(LogFile):
    """A log file that is full at a size, and takes what is counted beyond it."""

    def __init__(
        self, folder: Path, formatter: logging.Formatter, begin: str, max_bytes: int
    ) -> None:
        super().__init__(folder, formatter, begin)
        self._max_bytes = max_bytes
        self._without_details = 0
        self._dropped_ns = 0

    def append(self, record: logging.LogRecord) -> None:
        """Writes a record; of one for a log that is full, what is counted."""
        if self.size_bytes < _DETAILS * self._max_bytes:
            super().append(record)
            return
        metadata = record.__dict__["metadata"]
        if artifact_name(metadata) in _KEPT_NAMES or _KEPT_KEYS & metadata.keys():
            super().append(_thin(record))
        if "compilation_metrics" in metadata:
            seconds = metadata["compilation_metrics"].get("entire_frame_compile_time_s")
            self._without_details += 1
            self._dropped_ns += nanoseconds(seconds, _SECOND_NS) or 0
            dropped = Dropped(self._max_bytes, self._without_details, self._dropped_ns)
            super().append(record_for_log(dropped))


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
