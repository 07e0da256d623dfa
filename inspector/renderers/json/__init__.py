"""Renders a report for programs; the schema is docs/schema/report-1.schema.json.

Everything that the other renderers show is here. Columns are 0-based, durations are in ns.
"""

from __future__ import annotations

from typing import TextIO

import orjson

from inspector.events.inspector import InspectorDropped
from inspector.findings.any_report import AnyReport
from inspector.findings.bench_report import BenchReport
from inspector.findings.collection_report import CollectionReport
from inspector.findings.cuda_graphs_report import CudaGraphsReport
from inspector.findings.diff_report import DiffReport
from inspector.findings.graph_report import GraphReport
from inspector.findings.guards_report import GuardsReport
from inspector.findings.kernel_bench_report import KernelBenchReport
from inspector.findings.kernels_report import KernelsReport
from inspector.findings.profile_report import ProfileReport
from inspector.findings.report import FORMAT_VERSION, Report
from inspector.findings.warmup_report import WarmupReport
from inspector.model.run import Process, Run
from inspector.model.summary import Summary
from inspector.renderers.json.bench_collection import any_bench_fields
from inspector.renderers.json.cleaned import cleaned
from inspector.renderers.json.cuda_graphs import cuda_graphs_fields
from inspector.renderers.json.diff import diff_fields
from inspector.renderers.json.findings import finding_fields, summary_fields
from inspector.renderers.json.frames import break_fields, frame_fields, skipped_fields
from inspector.renderers.json.gate import gate_fields
from inspector.renderers.json.graph import graph_fields
from inspector.renderers.json.guards import guards_fields
from inspector.renderers.json.kernel_bench import kernel_bench_fields
from inspector.renderers.json.kernels import kernels_fields
from inspector.renderers.json.profile import profile_fields
from inspector.renderers.json.recompiles import recompile_fields
from inspector.renderers.json.verification import verification_fields
from inspector.version import __version__

__all__ = ["render"]


def render(report: AnyReport, stream: TextIO) -> None:
    """Writes a report as indented JSON, the same for the same report."""
    match report:
        case GuardsReport():
            fields = guards_fields(report)
        case CudaGraphsReport():
            fields = cuda_graphs_fields(report)
        case GraphReport():
            fields = graph_fields(report)
        case BenchReport() | CollectionReport() | WarmupReport():
            fields = any_bench_fields(report)
        case KernelBenchReport():
            fields = kernel_bench_fields(report)
        case ProfileReport():
            fields = profile_fields(report)
        case DiffReport():
            fields = diff_fields(report)
        case KernelsReport():
            fields = kernels_fields(report)
        case Report():
            fields = _fields(report)
    text = orjson.dumps(cleaned(fields), option=orjson.OPT_INDENT_2).decode()
    stream.write(text + "\n")


def _fields(report: Report) -> dict[str, object]:
    run = report.run
    processes = list(enumerate(run.processes))
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
            _process(index, process, summary)
            for index, (process, summary) in enumerate(
                zip(run.processes, report.by_process, strict=True)
            )
        ],
        "findings": [finding_fields(finding) for finding in report.findings],
        "frames": [
            frame_fields(run, index, frame)
            for index, process in processes
            for frame in process.frames
        ],
        "graph_breaks": [
            break_fields(run, index, frame, record)
            for index, process in processes
            for frame in process.frames
            for compilation in frame.compilations
            for record in compilation.graph_breaks
        ],
        "recompiles": [
            recompile_fields(run, index, compilation.recompile)
            for index, process in processes
            for frame in process.frames
            for compilation in frame.compilations
            if compilation.recompile is not None
        ],
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
        "warnings": [
            {"file": warning.file, "line": warning.line or None, "message": warning.message}
            for warning in run.warnings
        ],
        "problems": [
            {"process": index, "message": problem}
            for index, process in processes
            for problem in process.problems
        ],
        "next_steps": list(report.next_steps),
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
    }


def _process(index: int, process: Process, summary: Summary) -> dict[str, object]:
    return {
        "process": index,
        "rank": process.rank,
        "host": process.host or None,
        "pid": process.pid,
        "parent_pid": process.parent_pid,
        "ended": process.ended,
        "cache_hits": {name: process.cache_hits[name] for name in sorted(process.cache_hits)},
        "dropped": None if process.dropped is None else _dropped(process.dropped),
        "summary": summary_fields(summary),
    }


def _dropped(dropped: InspectorDropped) -> dict[str, object]:
    return {
        "max_bytes": dropped.max_bytes,
        "without_details": dropped.without_details,
        "compilations": dropped.counts.get("compilations", 0),
    }


def _environment(process: Process) -> dict[str, object]:
    target = process.target
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
