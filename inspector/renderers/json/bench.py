"""A bench as JSON; the schema is docs/schema/bench-1.schema.json."""

from __future__ import annotations

import dataclasses
import math

from inspector.benches.comparison import BenchComparison
from inspector.benches.ratio import Ratio
from inspector.benches.rows import BenchRow
from inspector.benches.varied import VariedSetting
from inspector.findings.bench_report import FORMAT_VERSION, BenchGroup, BenchReport
from inspector.findings.bench_verdict import verdict_lines
from inspector.findings.recompile_wording import changed
from inspector.records.bench import Divergence
from inspector.renderers.json.recording import recording_fields
from inspector.version import __version__


def bench_fields(report: BenchReport) -> dict[str, object]:
    """All fields of a bench."""
    versions = next((process.versions for process in report.run.processes), {})
    return {
        "format_version": FORMAT_VERSION,
        "kind": "bench",
        "tool_version": __version__,
        "recording": recording_fields(report.run.meta),
        "versions": dict(sorted(versions.items())),
        "target": report.plan.target,
        "device": report.device,
        "threads": report.threads or None,
        "processor": report.processor or None,
        "sessions": report.plan.sessions,
        "session_seconds": report.plan.session_seconds,
        "grad": report.plan.is_grad,
        "cold_cache": report.plan.cold_cache,
        "groups": [_group(group) for group in report.groups],
        "varied": [_varied(found) for found in report.varied],
        "comparison": _comparison(report.comparison),
        "notices": list(report.notices),
    }


def _varied(found: VariedSetting) -> dict[str, object]:
    return {
        "setting": found.setting.label,
        "compile_ns": found.first_ns,
        "one_call_of_each_ns": found.round_ns,
        "compiled_inputs": found.compiled_inputs,
        "break_even_calls_of_each": found.break_even_rounds,
        "one_call_of_each_faster_than_eager": found.together,
        "faster_than_eager": found.speedup,
        "left_out": list(found.left_out),
        "failure": found.failure or None,
        "inputs": [
            {
                "label": item.label,
                "inputs": item.row.inputs,
                "first_call_ns": item.row.first_ns,
                "cached_call_ns": item.row.latency.middle_ns if item.row.latency else None,
                "compiled": item.compiled,
                "recompiled_because": [changed(each) for each in item.recompiles],
                "failure": item.row.failure or None,
            }
            for item in found.inputs
        ],
    }


def _comparison(found: BenchComparison | None) -> dict[str, object] | None:
    if found is None:
        return None
    return {
        "name": found.earlier.name,
        "started": found.earlier.started or None,
        "same_device": found.device == found.earlier.device,
        "other_model": found.is_of_another,
        "compared": found.compared,
        "changes": [
            {
                "setting": change.label,
                "inputs": change.inputs,
                "what": change.what,
                "before": change.before,
                "after": change.after,
                "worse": change.is_worse,
            }
            for change in found.changes
        ],
    }


def _group(group: BenchGroup) -> dict[str, object]:
    choice = group.choice
    return {
        "workload": dataclasses.asdict(group.workload),
        "input": group.input,
        "inputs": group.inputs,
        "verdict": list(verdict_lines(group)),
        "best_latency": choice.latency.setting.label if choice.latency else None,
        "as_good": [row.setting.label for row in choice.as_good],
        "least_memory": choice.memory.setting.label if choice.memory else None,
        "reasons": [{"rule": reason.rule, "message": reason.message} for reason in group.reasons],
        "rows": [row_fields(row) for row in group.rows],
    }


def row_fields(row: BenchRow) -> dict[str, object]:
    """All fields of a combination with one input."""
    latency, compiled = row.latency, row.compiled
    return {
        "label": row.setting.label,
        "setting": dataclasses.asdict(row.setting),
        "latency_ns": latency.middle_ns if latency else None,
        "p5_ns": latency.p5_ns if latency else None,
        "p95_ns": latency.p95_ns if latency else None,
        "calls": latency.calls if latency else 0,
        "items_per_s": row.items_per_s,
        "faster_than_eager": row.faster.middle if row.faster else None,
        "faster_than_eager_interval": _interval(row.faster),
        "differs_from_eager": row.faster.is_known if row.faster else None,
        "first_call_ns": row.first_ns,
        "second_call_ns": row.second_ns,
        "cached_first_call_ns": row.cached_first_ns,
        "break_even_calls": row.break_even_calls,
        "memory_bytes": dict(row.memory),
        "gpu_busy": row.busy,
        "gpu_launches": row.launches or None,
        "errors": [
            {
                "reference": error.reference,
                "name": error.name,
                "relative": error.relative if math.isfinite(error.relative) else None,
                "relative_to": error.scale,
                "within_tolerance": error.within,
                "nan_of_reference": error.nan,
                "is": error.mine or None,
                "is_in_reference": error.theirs or None,
            }
            for error in row.errors
        ],
        "wrong": row.is_wrong,
        "not_compared": list(row.uncompared),
        "divergence": _divergence(row.divergence),
        "draws_random_numbers": row.draws,
        "compiled": dataclasses.asdict(compiled) if compiled else None,
        "settled": row.is_settled,
        "blocks": [
            {"session": session, "round": number, "median_ns": median}
            for (session, number), median in row.medians.items()
        ],
        "failure": row.failure or None,
        "detail": row.detail or None,
    }


def _divergence(found: Divergence | None) -> dict[str, object] | None:
    if found is None:
        return None
    return {name: getattr(found, name) for name in found.REPORTED}


def _interval(ratio: Ratio | None) -> list[float] | None:
    return [ratio.low, ratio.high] if ratio is not None else None
