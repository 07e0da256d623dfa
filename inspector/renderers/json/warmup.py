"""A warm-up as JSON; the schema is docs/schema/warmup-1.schema.json."""

from __future__ import annotations

import dataclasses

from inspector.benches.warmup import Start
from inspector.findings.warmup_notices import warmup_notices
from inspector.findings.warmup_report import FORMAT_VERSION, WarmupReport
from inspector.findings.warmup_wording import warmup_verdict
from inspector.model.cold_start import CacheUse
from inspector.renderers.json.recording import recording_fields
from inspector.version import __version__


def warmup_fields(report: WarmupReport) -> dict[str, object]:
    """All fields of a warm-up."""
    return {
        "format_version": FORMAT_VERSION,
        "kind": "warmup",
        "tool_version": __version__,
        "recording": recording_fields(report.run.meta),
        **plan_fields(report),
        "verdict": list(warmup_verdict(report)),
        "starts": [_start(report, start) for start in report.starts],
        "notices": list(warmup_notices(report)),
    }


def plan_fields(report: WarmupReport) -> dict[str, object]:
    """The plan, as ``plan.json`` has it too."""
    plan = report.plan
    return {
        "target": plan.target,
        "torch": report.torch,
        "device": report.device,
        "processor": report.processor or None,
        "threads": report.threads or None,
        "setting": dataclasses.asdict(plan.setting),
        "workload": dataclasses.asdict(plan.workload),
        "grad": plan.is_grad,
        "job_id": plan.job,
        "inputs": [
            {"label": item.label, "shapes": item.shapes, "of": item.of, "batch": item.batch,
             "changes": [dataclasses.asdict(change) for change in item.changes]}
            for item in report.inputs
        ],
        "plan": list(plan.calls),
        "plan_without_artifact": list(plan.calls_without),
        "shorter_plans_tried": plan.trials,
        "check": _check(report),
    }  # fmt: skip


def _start(report: WarmupReport, start: Start) -> dict[str, object]:
    cost = report.costs.get(start.name)
    faster = start.faster
    return {
        "start": start.name,
        "load_ns": start.load_ns,
        "artifact_ns": start.artifact_ns or None,
        "artifact": _artifact(start),
        "first_calls_ns": start.first_ns,
        "first_calls": [dataclasses.asdict(call) for call in start.firsts],
        "ready_ns": start.ready_ns,
        "compile_time_ns": cost.time_ns if cost is not None else 0,
        "compilations": start.compilations,
        "caches": [_cache(use) for use in cost.caches] if cost is not None else [],
        "one_call_of_each_ns": start.round_ns,
        "faster_than_eager": faster.middle if faster is not None else None,
        "faster_than_eager_interval": [faster.low, faster.high] if faster is not None else None,
        "break_even_calls_of_each": start.break_even,
        "failure": start.failure or None,
        "detail": start.detail or None,
    }


def _artifact(start: Start) -> dict[str, object] | None:
    event = start.artifact or start.saved
    if event is None:
        return None
    return {
        "entries": dict(event.parts),
        "size_bytes": event.size_bytes,
        "failure": event.failure or None,
    }


def _cache(use: CacheUse) -> dict[str, object]:
    return {
        "cache": use.cache,
        "hits": use.hits,
        "misses": use.misses,
        "bypasses": use.bypasses,
        "reasons": [reason.text for reason in use.reasons],
    }


def _check(report: WarmupReport) -> dict[str, object] | None:
    check = report.plan.check
    if check is None:
        return None
    return {
        "passed": check.is_passed,
        "failure": check.failure or None,
        "artifact_loaded": check.loaded,
        "load_ns": check.load_ns,
        "artifact_ns": check.artifact_ns,
        "calls": [dataclasses.asdict(call) for call in check.calls],
        "graphs": [dataclasses.asdict(call) for call in check.graphs],
        "later": [dataclasses.asdict(call) for call in check.later],
        "counters": dict(check.counters),
        "still_compiles": [
            {"input": item.input, "compiled": item.compiled, "because": list(item.because)}
            for item in report.still
        ],
    }
