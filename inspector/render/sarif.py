"""Findings as SARIF 2.1.0, which GitHub, GitLab and editors show on the lines of the source."""

import json
from collections.abc import Mapping
from typing import Any, TextIO

from inspector.report.finding import Finding, Place
from inspector.report.page import Page
from inspector.report.severity import Severity
from inspector.version import __version__

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render(page: Page, stream: TextIO) -> None:
    """Writes a log with one run; fingerprints stay the same when lines above are inserted."""
    rules = sorted({finding.rule for finding in page.findings})
    driver = {
        "name": "torch-inspector",
        "version": __version__,
        "rules": [{"id": rule} for rule in rules],
    }
    numbers = {rule: number for number, rule in enumerate(rules)}
    results = [_result(finding, numbers) for finding in page.findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    stream.write(json.dumps(log, indent=1, ensure_ascii=False) + "\n")


def _result(finding: Finding, numbers: Mapping[str, int]) -> Mapping[str, Any]:
    parts = [finding.message, finding.why, f"Fix: {finding.fix}" if finding.fix else ""]
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": numbers[finding.rule],
        "level": _LEVELS[finding.severity],
        "message": {"text": "\n".join(filter(None, parts))},
        "partialFingerprints": {"torchInspector/v1": finding.fingerprint},
    }
    if finding.place.file:
        result["locations"] = [{"physicalLocation": _location(finding.place)}]
    if finding.is_new is not None:
        result["baselineState"] = "new" if finding.is_new else "unchanged"
    return result


def _location(place: Place) -> Mapping[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": place.file.replace("\\", "/")}}
    if place.line:
        region = {"startLine": place.line, "endLine": place.end_line}
        if place.column is not None:  # from 1 here
            region["startColumn"] = place.column + 1
            region["endColumn"] = None if place.end_column is None else place.end_column + 1
        location["region"] = {name: value for name, value in region.items() if value is not None}
    return location
