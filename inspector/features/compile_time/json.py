"""A cold start as JSON."""

from inspector.features.compile_time.report import Against, ColdStartReport, cold_notices
from inspector.report.json.common import COMMON, process_index
from inspector.report.json.encode import Scope, View, Views, tool_version
from inspector.run.compile_time import (
    Change,
    CompilationTime,
    KeyChange,
    LineTime,
    PlaceTime,
    Reason,
)
from inspector.run.run import Process
from inspector.trace.caches import CacheLookup

FORMAT_VERSION = 1
"""Counts up when a field changes its meaning or goes, not for a new one."""


def _notices(scope: Scope) -> list[str]:
    """Notes on these figures, missing parts of the recording, and errors of the recorder."""
    return [text for _, text in cold_notices(scope.of(ColdStartReport))]


def _torch(scope: Scope) -> str | None:
    """Version of torch."""
    return scope.of(Process).versions.get("torch")


VIEWS: Views = {
    **COMMON,
    "recording": View("name format_version target settings< started? partial? error?"),
    ColdStartReport: View(
        """format_version tool_version recording=run.meta:recording
        compile_time_ns=cold_start.time_ns compile_time_by_stage_ns=cold_start.stages{}
        trace_writing_ns=cold_start.logging_ns vector_checks=cold_start.vector_checks
        processes=run.processes compilations=cold_start.compilations functions=cold_start.frames
        lines=cold_start.lines dynamo_lines=cold_start.traced_lines caches=cold_start.caches
        lookups=run.processes.lookups against findings=report.findings notices""",
        format_version=FORMAT_VERSION,
        tool_version=tool_version,
        notices=_notices,
    ),
    Process: View(
        """process rank host? pid torch compile_time_ns compile_time_by_stage_ns=stages{}
        has_inspector_events""",
        process=process_index,
        torch=_torch,
    ),
    CompilationTime: View(
        """process compile_id? occurrence is_backward begin_ns name? file=~file? first_line?
        user_file=~user.file user_line=user.line time_ns by_stage_ns=stages{}"""
    ),
    PlaceTime: View("file=~file? line? name? compilations processes time_ns by_stage_ns=stages{}"),
    LineTime: View("file=~file? line? name? time_ns"),
    Reason: View("reason=text exception? count compile_ids"),
    CacheLookup: View(
        """process cache state compile_id? occurrence is_backward what? detail? key? reason?
        exception? time_saved_ns time_taken_ns""",
        process=process_index,
    ),
    Against: View("name compile_time_ns=time_ns only_here only_there keys=changes"),
    KeyChange: View("cache process name compile_id? is_backward before now verdict changes"),
    # Parsed out of the lines that torch prints for people.
    Change: View("component what before now opaque parsed", parsed=True),
}
