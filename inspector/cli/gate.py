"""``--fail-on`` and ``--baseline``: an exit code for continuous integration."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from inspector import plugins
from inspector.cli.baseline_file import read_baseline
from inspector.cli.options import together
from inspector.errors import UsageError
from inspector.report.baseline import Baseline
from inspector.report.fail_on import FailOn, parse_fail_on
from inspector.report.gate import judged
from inspector.report.report import Report
from inspector.report.severity import Severity
from inspector.report.verdict import verdict

EXIT_FINDINGS = 1
# What a baseline alone fails on: nobody compares in order to pass whatever is new.
_BY_DEFAULT = FailOn((Severity.WARNING.value,))

gate_options = together(
    click.option(
        "--fail-on", multiple=True, metavar="NAME",
        help="Exit with 1 if there are findings of a rule (graph-break, recompile, …) or at least "
        "as grave as error, warning or info. Repeatable, or with commas.",
    ),
    click.option(
        "--baseline", type=click.Path(path_type=Path), metavar="FILE",
        help="An earlier report.json: what it has is known, and only new findings fail. "
        "[default for --fail-on then: warning]",
    ),
)  # fmt: skip
"""What to fail on, and what is known already."""


@dataclasses.dataclass(frozen=True, slots=True)
class Asked:
    """A gate that was asked for."""

    fail_on: FailOn
    baseline: Baseline | None


def asked_gate(
    fail_on: Iterable[str], baseline: Path | None, output: Path | None = None
) -> Asked | None:
    """The gate that the options ask for, or None; what is wrong with them is said at once.

    Raises:
        UsageError: A name is wrong, or the report would be written over the baseline.
        RecordingError: The baseline cannot be read.
    """
    chosen = parse_fail_on(fail_on, [rule.id for rule in plugins.load_rules("run")])
    if baseline is not None and output is not None and output.resolve() == baseline.resolve():
        message = f"The report would be written over the baseline {baseline}, also if it fails."
        raise UsageError(message, "Choose another file with -o, or leave --baseline out.")
    known = None if baseline is None else read_baseline(baseline)
    if chosen is None and known is None:
        return None
    return Asked(chosen or _BY_DEFAULT, known)


def with_gate(report: Report, asked: Asked | None) -> Report:
    """A report with the verdict on it, where one was asked for."""
    if asked is None:
        return report
    gate, findings = judged(report.run, report.findings, asked.fail_on, asked.baseline)
    return dataclasses.replace(report, gate=gate, findings=findings)


def say_verdict(report: Report, prefix: str = "") -> None:
    """Says on standard error whether the gate passes, where the report itself goes elsewhere."""
    if report.gate is not None:
        sys.stderr.write(f"{prefix}gate: {verdict(report.gate)}\n")
