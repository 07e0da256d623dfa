"""Guards as JSON."""

from inspector.features.guards.grouping import Cause, Group
from inspector.features.guards.levers import Lever
from inspector.features.guards.next import NextChange
from inspector.features.guards.report import FORMAT_VERSION, FrameRow, GuardsReport
from inspector.features.guards.time import GuardTime
from inspector.report.json.common import COMMON
from inspector.report.json.encode import View, Views, tool_version

VIEWS: Views = {
    **COMMON,
    GuardsReport: View(
        """format_version kind tool_version recording=run.meta:recording evidence guards kinds
        modules=groups causes time levers frames findings notices unread_lines=unread
        next_steps""",
        format_version=FORMAT_VERSION,
        kind="guards",
        tool_version=tool_version,
        evidence="parsed",
    ),
    Group: View("name guards modules=members kinds"),
    Cause: View("file line function code? is_user guards kinds"),
    GuardTime: View(
        """per_call_ns call_ns share lookups_per_call=lookups calls is_program
        by_frame_ns=by_frame"""
    ),
    Lever: View("name usage assumes saved_ns guards_ns noise_ns is_default broken? error?"),
    FrameRow: View(
        """process frame_id name file? line? entries recompile_limit=limit hit_limit=is_closed
        runs_eagerly=is_skipped guards torch_latency_ns per_call_ns next_changes"""
    ),
    NextChange: View(
        """kind source? name text becomes changed_before more file=cause.file?
        line=cause.line? code=cause.code?"""
    ),
}
