"""The report on a cold start for programs; the schema is docs/schema/cold-start-1.schema.json."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.findings.cold_start import Against, ColdStartReport, cold_notes, cold_notices
from inspector.model.cache_lookup import CacheLookup
from inspector.model.cold_start import CacheUse, Change, KeyChange, OwnTime, PlaceTime
from inspector.model.compile_time import CompilationTime, StageTime
from inspector.model.run import Process, Run
from inspector.renderers.json.findings import finding_fields
from inspector.version import __version__

FORMAT_VERSION = 1
"""Counts up when a field changes its meaning or goes, not for a new one."""


def cold_start_fields(report: ColdStartReport) -> dict[str, object]:
    """All fields of a report on a cold start; durations are in ns."""
    run, cold = report.run, report.cold_start
    against = report.against
    return {
        "format_version": FORMAT_VERSION,
        "tool_version": __version__,
        "recording": {
            "name": run.meta.name,
            "format_version": run.meta.format_version,
            "target": run.meta.target,
            "settings": {name: run.meta.settings[name] for name in sorted(run.meta.settings)},
            "started": run.meta.started or None,
            "partial": run.meta.partial or None,
            "error": run.meta.error or None,
        },
        "compile_time_ns": cold.time_ns,
        "compile_time_by_stage_ns": _stages(cold.stages),
        "trace_writing_ns": cold.logging_ns,
        "vector_checks": cold.vector_checks,
        "processes": [_process(index, item) for index, item in enumerate(run.processes)],
        "compilations": [_compilation(run, item) for item in cold.compilations],
        "functions": [_place(run, item) for item in cold.frames],
        "lines": [_place(run, item) for item in cold.lines],
        "dynamo_lines": [
            {
                "file": run.roots.shown(item.file) or None,
                "line": item.line or None,
                "name": item.name or None,
                "time_ns": item.time_ns,
            }
            for item in cold.traced_lines
        ],
        "caches": [_use(item) for item in cold.caches],
        "lookups": [
            _lookup(index, item)
            for index, process in enumerate(run.processes)
            for item in process.lookups
        ],
        "against": None if against is None else _against(against),
        "findings": [finding_fields(finding) for finding in report.report.findings],
        "notes": list(cold_notes(report)),
        "notices": [{"kind": kind, "message": text} for kind, text in cold_notices(report)],
    }


def _stages(stages: Iterable[StageTime]) -> dict[str, int]:
    return {stage.stage: stage.time_ns for stage in stages}


def _process(index: int, process: Process) -> dict[str, object]:
    return {
        "process": index,
        "rank": process.rank,
        "host": process.host or None,
        "pid": process.pid,
        "torch": process.versions.get("torch"),
        "compile_time_ns": process.compile_time_ns,
        "compile_time_by_stage_ns": _stages(process.stages),
        "has_inspector_events": process.has_inspector_events,
    }


def _compilation(run: Run, item: OwnTime) -> dict[str, object]:
    time: CompilationTime = item.time
    user = time.user
    return {
        "process": item.process,
        "compile_id": time.compile_id or None,
        "occurrence": time.occurrence,
        "is_backward": time.is_backward,
        "begin_ns": time.begin_ns,
        "name": time.name or None,
        "file": run.roots.shown(time.file) or None,
        "first_line": time.first_line or None,
        "user_file": run.roots.shown(user.file) if user else None,
        "user_line": user.line if user else None,
        "time_ns": time.time_ns,
        "by_stage_ns": _stages(time.stages),
    }


def _place(run: Run, item: PlaceTime) -> dict[str, object]:
    return {
        "file": run.roots.shown(item.file) or None,
        "line": item.line or None,
        "name": item.name or None,
        "compilations": item.compilations,
        "processes": list(item.processes),
        "time_ns": item.time_ns,
        "by_stage_ns": _stages(item.stages),
    }


def _use(item: CacheUse) -> dict[str, object]:
    return {
        "cache": item.cache,
        "hits": item.hits,
        "misses": item.misses,
        "bypasses": item.bypasses,
        "guard_misses": item.guard_misses,
        "saved_ns": item.saved_ns,
        "reasons": [
            {
                "reason": reason.text,
                "exception": reason.exception or None,
                "count": reason.count,
                "compile_ids": list(reason.compile_ids),
            }
            for reason in item.reasons
        ],
    }


def _lookup(process: int, item: CacheLookup) -> dict[str, object]:
    return {
        "process": process,
        "cache": item.cache,
        "state": item.state.value,
        "compile_id": item.compile_id or None,
        "occurrence": item.occurrence,
        "is_backward": item.is_backward,
        "what": item.what or None,
        "detail": item.detail or None,
        "key": item.key or None,
        "reason": item.reason or None,
        "exception": item.exception or None,
        "time_saved_ns": item.time_saved_ns,
        "time_taken_ns": item.time_taken_ns,
    }


def _against(against: Against) -> dict[str, object]:
    return {
        "name": against.name,
        "compile_time_ns": against.time_ns,
        "only_here": against.only_here,
        "only_there": against.only_there,
        "keys": [_key(item) for item in against.changes],
    }


def _key(item: KeyChange) -> dict[str, object]:
    return {
        "cache": item.cache,
        "process": item.process,
        "name": item.name,
        "compile_id": item.compile_id or None,
        "is_backward": item.is_backward,
        "before": item.before,
        "now": item.now,
        "verdict": item.verdict.value,
        "changes": [_change(change) for change in item.changes],
    }


def _change(change: Change) -> dict[str, object]:
    return {
        "component": change.component,
        "what": change.what,
        "before": list(change.before),
        "now": list(change.now),
        "opaque": change.opaque,
        "parsed": True,  # out of the lines that torch prints for people
    }
