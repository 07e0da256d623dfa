"""What one process adds to one recording: a log that begins with what a reader must know first."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
from pathlib import Path

from inspector.capture import versions
from inspector.capture.log.environment import environment, rank
from inspector.capture.log.log_file import LogFile, begins_with
from inspector.capture.log.raised import uncaught, uncaught_record
from inspector.capture.writer import artifact_name, record_for_log, trace_record
from inspector.records.environment import Dropped, End
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


class ProcessLog:
    """A log that is made with its first record; a forked process begins one of its own.

    Args:
        project: The folder that shown paths are relative to; None where somebody else writes
            ``inspector_environment``.
        max_bytes: The process's files are kept below; None: no limit.
    """

    def __init__(self, folder: Path, project: str | None, max_bytes: int | None = None) -> None:
        from torch._logging import _internal

        self._formatter: logging.Formatter = _internal.TorchLogsFormatter(trace=True)
        self._folder = folder
        self._project = project
        self._max_bytes = max_bytes
        self._pid = 0
        self._ended_pid = 0
        self._file: LogFile | None = None
        self._failing = False

    def write(self, record: logging.LogRecord) -> None:
        """Writes one record of torch's trace logger.

        Raises:
            Exception: It cannot be formatted; not once more for the record that says so.
        """
        try:
            self._begun().append(record)
        # Anything: all of it is raised again. What the caller says of it is a record of this same
        # log, and where that fails alike it must not be said once more.
        except Exception:
            if self._failing:
                return
            self._failing = True
            raise
        self._failing = False

    def watch_end(self) -> None:
        """Lets an exception that ends this process be in the log, also where nothing else is."""
        _at_exit(self)

    def add_raised(self, error: BaseException) -> None:
        """Says that an exception ended what is recorded."""
        with contextlib.suppress(Exception):  # the program has an exception of its own by now
            self._begun().append(record_for_log(uncaught_record(error)))

    def end(self) -> None:
        """Says how this process ends, when it does."""
        if self._ended_pid == os.getpid():
            return
        self._ended_pid = os.getpid()
        error = uncaught()
        if error is not None:
            self.add_raised(error)
        self.close()

    def close(self) -> None:
        """Says that this process has come to its end in order, if it wrote anything."""
        file, self._file = self._file, None
        # What fails in `atexit` would be printed by Python, under the program's own output.
        with contextlib.suppress(Exception):
            if file is not None and self._pid == os.getpid():
                file.append(record_for_log(End()))
                file.close()
            atexit.unregister(self.end)

    def _begun(self) -> LogFile:
        if self._file is not None and self._pid == os.getpid():
            return self._file
        if self._file is not None:
            self._file.close()  # the parent's: only this process's handle on it
        self._pid = os.getpid()
        name = begins_with(rank())
        self._file = (
            LogFile(self._folder, self._formatter, name)
            if self._max_bytes is None
            else CappedLog(self._folder, self._formatter, name, self._max_bytes)
        )
        _at_exit(self)
        for number, text in versions.interned_strings().items():
            self._file.append(trace_record({"str": [text, number]}))
        if self._project is not None:
            self._file.append(record_for_log(environment(self._project, asks_for_gpus=False)))
        return self._file


def _at_exit(log: ProcessLog) -> None:
    """Calls `end` when the process ends; a worker of `multiprocessing` skips `atexit` (3.11)."""
    from multiprocessing import process, util

    atexit.register(log.end)
    if process.parent_process() is not None:
        # The lowest of the priorities that such a worker still honours, so the last to be called.
        util.Finalize(log, log.end, exitpriority=0)
