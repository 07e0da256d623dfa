"""Any report of `inspect bench` as JSON: one model, several, a warm-up."""

from __future__ import annotations

from inspector.findings.any_report import AnyBench
from inspector.findings.bench_report import BenchReport
from inspector.findings.warmup_report import WarmupReport
from inspector.renderers.json.bench import bench_fields
from inspector.renderers.json.bench_collection import collection_fields
from inspector.renderers.json.warmup import warmup_fields


def any_bench_fields(report: AnyBench) -> dict[str, object]:
    """All fields of the report."""
    if isinstance(report, BenchReport):
        return bench_fields(report)
    if isinstance(report, WarmupReport):
        return warmup_fields(report)
    return collection_fields(report)
