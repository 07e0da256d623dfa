"""A report with a gate: the run with graph breaks against a baseline that knows one of them."""

import dataclasses

from inspector.report.baseline import Baseline
from inspector.report.finding import Finding, Place
from inspector.report.gate import judged
from inspector.report.report import Report
from inspector.report.severity import Severity
from tests.unit.render import runs


def with_gate(report: Report, baseline: Baseline | None = None, *fail_on: str) -> Report:
    """A report with the verdict on it."""
    asked = fail_on or ("graph-break",)
    gate, findings = judged(report.run, report.findings, asked, baseline)
    return dataclasses.replace(report, gate=gate, findings=findings)


def gated() -> Report:
    """One finding is known, one has gone, two are new; torch was another one back then."""
    report = runs.report_of(runs.broken())
    gone = Finding(
        "recompile",
        Severity.WARNING,
        "helper is compiled once more",
        Place("model.py", 9),
        fingerprint="f" * 16,
    )
    old = Baseline(
        name="old.json",
        findings=(report.findings[0], gone),
        target="model.py",
        settings={"backend": "inductor", "device": "cpu"},
        torch=("2.11.0+cpu",),
    )
    return with_gate(report, old)
