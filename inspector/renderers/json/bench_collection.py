"""A collection of models as JSON; the schema is docs/schema/bench-collection-1.schema.json."""

from __future__ import annotations

import dataclasses

from inspector.findings.collection_report import FORMAT_VERSION, CollectionReport
from inspector.renderers.json.bench import row_fields
from inspector.version import __version__


def collection_fields(report: CollectionReport) -> dict[str, object]:
    """All fields of a report on several models."""
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
