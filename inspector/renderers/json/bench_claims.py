"""Published figures beside measured ones as JSON; docs/schema/bench-claims-1.schema.json."""

from __future__ import annotations

import dataclasses

from inspector.benches.claims import Check
from inspector.findings.claims_report import FORMAT_VERSION, ClaimsReport
from inspector.version import __version__


def claims_fields(report: ClaimsReport) -> dict[str, object]:
    """All fields of a report on claims."""
    return {
        "format_version": FORMAT_VERSION,
        "kind": "bench-claims",
        "tool_version": __version__,
        "versions": dict(sorted(report.versions.items())),
        "device": report.device,
        "sessions": report.sessions,
        "rounds": report.rounds or None,
        "published": report.claims.published,
        "models": [
            {
                "name": item.model.name,
                "target": item.model.target,
                "inputs": item.inputs,
                "seconds": round(item.seconds, 1),
                "claims": list(map(_check_fields, item.checks)),
            }
            for item in report.models
        ],
        "notices": list(report.notices),
    }


def _check_fields(check: Check) -> dict[str, object]:
    claim = check.claim
    return {
        "setting": claim.setting,
        "metric": claim.metric,
        "published": [claim.first, claim.second],
        "published_gain": claim.gain,
        "measured": None if check.first is None else [check.first, check.second],
        "measured_gain": dataclasses.asdict(check.gain) if check.gain else None,
        "verdict": check.verdict.value,
        "reason": check.reason or None,
    }
