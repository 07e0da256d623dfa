"""A collection of models as JSON; the schema is docs/schema/bench-collection-1.schema.json."""

from __future__ import annotations

import dataclasses

from inspector.findings.any_report import AnyBench
from inspector.findings.bench_report import BenchReport
from inspector.findings.claims_report import ClaimsReport
from inspector.findings.collection_report import FORMAT_VERSION
from inspector.findings.warmup_report import WarmupReport
from inspector.renderers.json.bench import bench_fields, row_fields
from inspector.renderers.json.bench_claims import claims_fields
from inspector.renderers.json.warmup import warmup_fields
from inspector.version import __version__

__all__ = ["any_bench_fields"]


def any_bench_fields(report: AnyBench) -> dict[str, object]:
    """All fields of a report on one model, on several, or on claims."""
    if isinstance(report, BenchReport):
        return bench_fields(report)
    if isinstance(report, ClaimsReport):
        return claims_fields(report)
    if isinstance(report, WarmupReport):
        return warmup_fields(report)
    return {
        "format_version": FORMAT_VERSION,
        "kind": "bench-collection",
        "tool_version": __version__,
        "versions": dict(sorted(report.versions.items())),
        "device": report.device,
        "sessions": report.sessions,
        "settings": [dataclasses.asdict(summary) for summary in report.summaries],
        "models": [
            {
                "name": model.name,
                "best": model.best.setting.label if model.best else None,
                "failure": model.failure or None,
                "seconds": round(model.seconds, 1),
                "rows": [
                    {
                        "workload": dataclasses.asdict(row.workload),
                        "input": row.input,
                        "inputs": row.inputs,
                        **row_fields(row),
                    }
                    for row in model.rows
                ],
            }
            for model in report.models
        ],
        "notices": list(report.notices),
    }
