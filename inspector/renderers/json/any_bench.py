"""Any report of `inspect bench` as JSON: one model, or several."""

from __future__ import annotations

from inspector.findings.bench_report import BenchReport
from inspector.findings.collection_report import CollectionReport
from inspector.renderers.json.bench import bench_fields
from inspector.renderers.json.bench_collection import collection_fields


def any_bench_fields(report: BenchReport | CollectionReport) -> dict[str, object]:
    """All fields of the report."""
    if isinstance(report, BenchReport):
        return bench_fields(report)
    return collection_fields(report)
