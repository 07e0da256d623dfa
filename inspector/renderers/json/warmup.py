"""A warm-up as JSON; the schema is docs/schema/warmup-1.schema.json."""

from __future__ import annotations

import dataclasses

from inspector.findings.warmup_report import FORMAT_VERSION, Start, WarmupReport
from inspector.findings.warmup_wording import warmup_notices, warmup_verdict
from inspector.renderers.json.recording import recording_fields
from inspector.version import __version__


def warmup_fields(report: WarmupReport) -> dict[str, object]:
    """All fields of a warm-up."""
    return {
        "format_version": FORMAT_VERSION,
        "kind": "warmup",
        "tool_version": __version__,
        "recording": recording_fields(report.run.meta),
        "target": report.plan.target,
        "torch": report.torch,
        "device": report.device,
        "processor": report.processor or None,
        "threads": report.threads or None,
        "setting": dataclasses.asdict(report.plan.setting),
        "workload": dataclasses.asdict(report.plan.workload),
        "grad": report.plan.is_grad,
        "job_id": report.plan.job,
        "inputs": [dataclasses.asdict(item) for item in report.inputs],
        "plan": list(report.calls),
        "plan_without_artifact": list(report.calls_without),
        "check": _check(report),
        "verdict": list(warmup_verdict(report)),
        "starts": [_start(report, start) for start in report.starts],
        "notices": list(warmup_notices(report)),
    }


def _start(report: WarmupReport, start: Start) -> dict[str, object]:
    cost, loaded = report.costs.get(start.name), start.artifact
    return {
        "start": start.name,
        "load_ns": start.load_ns,
        "artifact_ns": start.artifact_ns or None,
        "artifact": None if loaded is None else {
            "entries": dict(loaded.parts), "size_bytes": loaded.size_bytes,
            "failure": loaded.failure or None,
        },
        "first_calls_ns": start.first_ns,
        "first_calls": [dataclasses.asdict(call) for call in start.firsts],
        "ready_ns": start.ready_ns,
        "compile_time_ns": cost.time_ns if cost is not None else 0,
        "compilations": start.compilations,
        "caches": [
            {"cache": use.cache, "hits": use.hits, "misses": use.misses, "bypasses": use.bypasses,
             "reasons": [reason.text for reason in use.reasons]}
            for use in (cost.caches if cost is not None else ())
        ],
        "failure": start.failure or None,
        "detail": start.detail or None,
    }  # fmt: skip


def _check(report: WarmupReport) -> dict[str, object] | None:
    check = report.plan.check
    if check is None:
        return None
    return {
        "passed": check.is_passed,
        **dataclasses.asdict(check),
        "still_compiles": [dataclasses.asdict(item) for item in report.still],
    }
