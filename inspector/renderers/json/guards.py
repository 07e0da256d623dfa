"""A report on guards as JSON; the schema is docs/schema/guards-1.schema.json."""

from __future__ import annotations

from inspector.findings.guards_report import FORMAT_VERSION, FrameRow, GuardsReport
from inspector.guards.grouping import Cause, Group
from inspector.guards.next import NextChange
from inspector.guards.subtrees import Subtree
from inspector.guards.time import GuardTime
from inspector.renderers.json.findings import finding_fields
from inspector.renderers.json.recording import recording_fields
from inspector.version import __version__


def guards_fields(report: GuardsReport) -> dict[str, object]:
    """All fields of a report on guards."""
    return {
        "format_version": FORMAT_VERSION,
        "kind": "guards",
        "tool_version": __version__,
        "recording": recording_fields(report.run.meta),
        "evidence": "parsed",
        "guards": report.guards,
        "kinds": dict(report.kinds),
        "modules": [_group(group) for group in report.groups],
        "causes": [_cause(cause) for cause in report.causes],
        "time": None if report.time is None else _time(report.time),
        "subtrees": [_subtree(item) for item in report.subtrees],
        "frames": [_frame(row) for row in report.frames],
        "findings": [finding_fields(finding) for finding in report.findings],
        "notices": list(report.notices),
        "unread_lines": list(report.unread),
        "next_steps": list(report.next_steps),
    }


def _group(group: Group) -> dict[str, object]:
    return {
        "name": group.name,
        "guards": group.guards,
        "modules": group.members,
        "kinds": dict(group.kinds),
    }


def _cause(cause: Cause) -> dict[str, object]:
    return {
        "file": cause.file,
        "line": cause.line,
        "function": cause.function,
        "code": cause.code or None,
        "is_user": cause.is_user,
        "guards": cause.guards,
        "kinds": dict(cause.kinds),
    }


def _time(time: GuardTime) -> dict[str, object]:
    return {
        "per_call_ns": time.per_call_ns,
        "call_ns": time.call_ns,
        "share": time.share,
        "lookups_per_call": time.lookups,
        "calls": time.calls,
        "is_program": time.is_program,
        "by_frame_ns": {str(frame): value for frame, value in time.by_frame.items()},
    }


def _subtree(item: Subtree) -> dict[str, object]:
    return {
        "frame": item.frame,
        "source": item.source,
        "name": item.name,
        "guards": item.guards,
        "time_ns": item.time_ns,
        "share": item.share,
        "evidence": "count" if item.time_ns is None else "measured",
    }


def _frame(row: FrameRow) -> dict[str, object]:
    return {
        "process": row.process,
        "frame_id": row.frame_id,
        "name": row.name,
        "file": row.file or None,
        "line": row.line or None,
        "entries": row.entries,
        "recompile_limit": row.limit,
        "hit_limit": row.is_closed,
        "runs_eagerly": row.is_skipped,
        "guards": row.guards,
        "torch_latency_ns": row.torch_latency_ns,
        "measured_ns": row.measured_ns,
        "per_call_ns": row.per_call_ns,
        "next_changes": [_change(item) for item in row.next_changes],
    }


def _change(item: NextChange) -> dict[str, object]:
    cause = item.cause
    return {
        "kind": item.kind.value,
        "source": item.source or None,
        "name": item.name,
        "text": item.text,
        "becomes": item.becomes.value,
        "changed_before": item.changed_before,
        "more": item.more,
        "is_certain": item.is_certain,
        "file": cause.file or None if cause else None,
        "line": cause.line or None if cause else None,
        "code": cause.code or None if cause else None,
    }
