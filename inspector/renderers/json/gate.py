"""The gate's verdict as JSON."""

from __future__ import annotations

from inspector.findings.baseline import KnownFinding
from inspector.findings.gate import Compared, Gate


def gate_fields(gate: Gate) -> dict[str, object]:
    """The verdict; which findings are new is said at the findings."""
    return {
        "passed": gate.passed,
        "fail_on": list(gate.fail_on),
        "failing": gate.failing,
        "incomplete": gate.incomplete or None,
        "baseline": None if gate.baseline is None else _baseline(gate.baseline),
    }


def _baseline(since: Compared) -> dict[str, object]:
    return {
        "name": since.name,
        "new": since.new,
        "known": since.known,
        "fixed": [_fixed(finding) for finding in since.fixed],
        "differences": list(since.differences),
    }


def _fixed(finding: KnownFinding) -> dict[str, object]:
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "message": finding.message,
        "file": finding.file or None,
        "line": finding.line or None,
        "gb_id": finding.gb_id,
        "fingerprint": finding.fingerprint,
    }
