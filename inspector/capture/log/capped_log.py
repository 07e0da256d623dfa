"""A process's log that is kept below a size: the oldest details go first, and the counts stay.

Its files, each a trace by itself, are in docs/recording.md: ``NAME.log`` is never dropped; above
the limit the oldest ``NAME.details-….log`` is deleted, then the next, then ``NAME.core-….log``.
What goes with a file is added to the totals in ``NAME.dropped-….log``, of which there is one.
"""

from __future__ import annotations

import collections
import dataclasses
import logging
import os
from pathlib import Path

from inspector.capture.log.log_file import LogFile
from inspector.capture.log.tally import Tally, Totals
from inspector.capture.writer import artifact_name, record_for_log, trace_record
from inspector.records.environment import Dropped
from inspector.records.record import PREFIX

_SEGMENTS = 16
_HEAD_NAMES = {
    f"{PREFIX}{name}"
    for name in ("environment", "end", "problem", "skipped_frame", "source", "target")
}
_CORE_KEYS = {"dynamo_start", "dynamo_output_graph", "compilation_metrics"}
_CORE_NAMES = {
    "dynamo_graph_break_reason", "dynamo_error", "recompile_reasons",
    f"{PREFIX}graph_break", f"{PREFIX}call", f"{PREFIX}caller", f"{PREFIX}recompile",
}  # fmt: skip
# The fields of compilation_metrics that a reader uses (inspector.trace.dynamo).
_METRICS = (
    "co_name", "co_filename", "co_firstlineno", "has_guarded_code", "graph_op_count", "guard_count",
    "fail_type", "fail_reason", "fail_user_frame_filename", "fail_user_frame_lineno",
    "restart_reasons", "recompile_reason", "start_time", "entire_frame_compile_time_s",
)  # fmt: skip


class _Segment(LogFile):
    """One file, and the counts of the compilations that ended while it was written."""

    def __init__(self, folder: Path, formatter: logging.Formatter, begin: str, name: str) -> None:
        super().__init__(folder, formatter, begin, name)
        self.totals = Totals()


class CappedLog:
    """Takes what a `LogFile` takes, as records, and keeps the size of all files below a limit."""

    def __init__(
        self, folder: Path, formatter: logging.Formatter, name: str, max_bytes: int
    ) -> None:
        self._folder = folder
        self._name = name + os.urandom(4).hex()
        self._formatter = formatter
        self._max_bytes = max_bytes
        self._totals: _Segment | None = None
        self._head = _Segment(folder, formatter, name, self._name + ".log")
        self._core: collections.deque[_Segment] = collections.deque()
        self._details: collections.deque[_Segment] = collections.deque()
        self._numbers: collections.Counter[str] = collections.Counter()
        self._strings: dict[int, str] = {}
        self._tally = Tally()
        self._dropped = Totals()
        self._without_details = 0

    def append(self, record: logging.LogRecord) -> None:
        """Writes a record where it belongs, and drops what is too much then."""
        kind = _kind(record)
        named = record.__dict__["metadata"].get("str")
        if named is not None:
            self._strings[named[1]] = named[0]
        if kind == "head":
            self._head.append(record)
        elif kind == "core":
            self._append_core(record)
        else:
            self._current("details", self._details).append(record)
        while self._size_bytes() > self._max_bytes and self._drop():
            pass

    def close(self) -> None:
        """Closes all files."""
        for segment in self._segments():
            segment.close()

    def _append_core(self, record: logging.LogRecord) -> None:
        details = self._current("details", self._details)
        core = self._current("core", self._core)
        core.append(self._thin(record))
        if "dynamo_output_graph" in record.__dict__["metadata"]:
            details.append(_detail(record))
        ended = self._tally.take(record)
        if ended is not None:
            core.totals.add(ended)
            details.totals.add(ended)

    def _current(self, kind: str, segments: collections.deque[_Segment]) -> _Segment:
        """The file to write to; a new one begins between compilations, where that can be."""
        limit = self._max_bytes // _SEGMENTS
        size = segments[-1].size_bytes if segments else limit
        if size >= 2 * limit or (size >= limit and self._tally.is_idle) or not segments:
            if segments:
                segments[-1].close()
            segments.append(self._made(kind))
        return segments[-1]

    def _made(self, kind: str) -> _Segment:
        self._numbers[kind] += 1
        name = f"{self._name}.{kind}-{self._numbers[kind]:06}.log"
        return _Segment(self._folder, self._formatter, self._name, name)

    def _thin(self, record: logging.LogRecord) -> logging.LogRecord:
        """What a report needs of a record; in each file for itself, so with file names in full."""
        metadata = dict(record.__dict__["metadata"])
        payload = record.__dict__["payload"]
        if "compilation_metrics" in metadata:
            fields = metadata["compilation_metrics"]
            metadata["compilation_metrics"] = {name: fields.get(name) for name in _METRICS}
        elif "dynamo_start" in metadata:
            stack = metadata["dynamo_start"]["stack"]
            named = [{**f, "filename": self._strings.get(f["filename"], "")} for f in stack]
            metadata["dynamo_start"] = {"stack": named}
        elif "dynamo_output_graph" in metadata:
            metadata["dynamo_output_graph"] = {}
            metadata.pop("has_payload", None)
            payload = None
        return trace_record(metadata, payload)

    def _size_bytes(self) -> int:
        return sum(segment.size_bytes for segment in self._segments())

    def _segments(self) -> tuple[_Segment, ...]:
        totals = () if self._totals is None else (self._totals,)
        return (self._head, *totals, *self._core, *self._details)

    def _drop(self) -> bool:
        """Drops the oldest file; whether there was one."""
        if self._details:
            oldest = self._details.popleft()
            self._without_details += oldest.totals.counts["compilations"]
            self._dropped.counts["compile_time_ns"] += oldest.totals.counts["compile_time_ns"]
        elif self._core:
            oldest = self._core.popleft()
            totals = dataclasses.replace(oldest.totals, counts=oldest.totals.counts.copy())
            del totals.counts["compile_time_ns"]  # counted when the details were dropped
            self._dropped.add(totals)
        else:
            return False
        oldest.delete()
        self._say()
        return True

    def _say(self) -> None:
        dropped = Dropped(
            self._max_bytes,
            self._without_details,
            self._dropped.counts,
            tuple(sorted(self._dropped.sites)),
            tuple((*key, state) for key, state in sorted(self._dropped.frames.items())),
        )
        before, self._totals = self._totals, self._made("dropped")
        self._totals.append(record_for_log(dropped))
        if before is not None:
            before.delete()


def _kind(record: logging.LogRecord) -> str:
    metadata = record.__dict__["metadata"]
    name = artifact_name(metadata)
    if name in _HEAD_NAMES or "str" in metadata:
        return "head"
    return "core" if name in _CORE_NAMES or _CORE_KEYS & metadata.keys() else "details"


def _detail(record: logging.LogRecord) -> logging.LogRecord:
    """A record whose thin form stands in the core file, under a name that is counted nowhere."""
    metadata = dict(record.__dict__["metadata"])
    sizes = metadata.pop("dynamo_output_graph")
    name = {"name": f"{PREFIX}output_graph", "encoding": "string", "sizes": sizes}
    return trace_record({"artifact": name, **metadata}, record.__dict__["payload"])
