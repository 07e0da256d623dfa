"""A report on graph breaks and recompiles; the schema is docs/schema/report-1.schema.json."""

from __future__ import annotations

from inspector.findings.overview import cut_warning
from inspector.findings.report import FORMAT_VERSION, Report
from inspector.model.ended import raised_frame
from inspector.model.run import Process, Run
from inspector.model.summary import Summary
from inspector.records.calls import TargetFunction, Uncaught
from inspector.records.environment import Dropped
from inspector.renderers.json.findings import finding_fields, summary_fields
from inspector.renderers.json.frames import break_fields, frame_fields, skipped_fields
from inspector.renderers.json.gate import gate_fields
from inspector.renderers.json.recompiles import recompile_fields
from inspector.renderers.json.verification import verification_fields
from inspector.version import __version__


def report_fields(report: Report) -> dict[str, object]:
    """All fields of a report on graph breaks and recompiles."""
    run = report.run
    return {
        "format_version": FORMAT_VERSION,
        "tool_version": __version__,
        "recording": _recording(run),
        "environment": [_environment(process) for process in run.processes],
        "summary": summary_fields(report.summary),
        "gate": None if report.gate is None else gate_fields(report.gate),
        "verification": None
        if report.verification is None
        else verification_fields(report.verification),
        "processes": [
            _process(run, index, process, summary)
            for index, (process, summary) in enumerate(
                zip(run.processes, report.by_process, strict=True)
            )
        ],
        "findings": [finding_fields(finding) for finding in report.findings],
        **_compiled(run),
        **_of_processes(run),
        "warnings": [
            {"file": warning.file, "line": warning.line or None, "message": warning.message}
            for warning in (*run.warnings, *filter(None, [cut_warning(run)]))
        ],
        "problems": [
            {"process": index, "message": problem}
            for index, process in enumerate(run.processes)
            for problem in process.problems
        ],
        "next_steps": list(report.next_steps),
    }


def _compiled(run: Run) -> dict[str, object]:
    """The frames that were compiled, with what broke their graphs and compiled them again."""
    frames = [
        (index, frame) for index, process in enumerate(run.processes) for frame in process.frames
    ]
    compilations = [(index, frame, item) for index, frame in frames for item in frame.compilations]
    return {
        "frames": [frame_fields(run, index, frame) for index, frame in frames],
        "graph_breaks": [
            break_fields(run, index, frame, record)
            for index, frame, compilation in compilations
            for record in compilation.graph_breaks
        ],
        "recompiles": [
            recompile_fields(run, index, compilation.recompile)
            for index, _, compilation in compilations
            if compilation.recompile is not None
        ],
    }


def _of_processes(run: Run) -> dict[str, object]:
    """What else each process met."""
    processes = list(enumerate(run.processes))
    return {
        "skipped_frames": [
            skipped_fields(run, index, skipped)
            for index, process in processes
            for skipped in process.skipped
        ],
        "calls": [
            {"process": index, "input": call.input_index, "call": call.call, "state": call.state}
            for index, process in processes
            for call in process.calls
        ],
        "unknown_events": [
            {"process": index, "event": event, "count": process.unknown_events[event]}
            for index, process in processes
            for event in sorted(process.unknown_events)
        ],
    }


def _recording(run: Run) -> dict[str, object]:
    meta = run.meta
    return {
        "name": meta.name,
        "format_version": meta.format_version,
        "target": meta.target,
        "settings": {name: meta.settings[name] for name in sorted(meta.settings)},
        "started": meta.started or None,
        "partial": meta.partial or None,
        "error": meta.error or None,
        "error_detail": meta.error_detail or None,
        "error_exit_code": meta.error_exit_code or None,
        "exit_code": meta.exit_code,
    }


def _process(run: Run, index: int, process: Process, summary: Summary) -> dict[str, object]:
    return {
        "process": index,
        "rank": process.rank,
        "host": process.host or None,
        "pid": process.pid,
        "parent_pid": process.parent_pid,
        "ended": process.ended,
        "exceptions": [_exception(run, raised) for raised in process.records(Uncaught)],
        "cache_hits": {name: process.cache_hits[name] for name in sorted(process.cache_hits)},
        "dropped": None if (dropped := process.last(Dropped)) is None else _dropped(dropped),
        "summary": summary_fields(summary),
    }


def _exception(run: Run, raised: Uncaught) -> dict[str, object]:
    frame = raised_frame(raised, run.roots)
    return {
        "type": raised.type,
        "message": raised.message,
        "file": run.roots.shown(frame.file) if frame else None,
        "line": frame.line if frame else None,
        "thread": raised.thread or None,
        "traceback": raised.traceback,
    }


def _dropped(dropped: Dropped) -> dict[str, object]:
    return {
        "max_bytes": dropped.max_bytes,
        "without_details": dropped.without_details,
        "compilations": dropped.counts.get("compilations", 0),
    }


def _environment(process: Process) -> dict[str, object]:
    target = process.last(TargetFunction)
    return {
        "host": process.host or None,
        "pid": process.pid,
        "rank": process.rank,
        "versions": {name: process.versions[name] for name in sorted(process.versions)},
        "hardware": {name: process.hardware[name] for name in sorted(process.hardware)},
        "target": None
        if target is None
        else {
            "name": target.name,
            "file": target.file or None,
            "line": target.line or None,
            "qualname": target.qualname,
            "kind": target.kind,
        },
        "has_inspector_events": process.has_inspector_events,
    }
