"""``--fail-on`` and ``--baseline``: an exit code for continuous integration."""

import dataclasses
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import click

from inspector import plugins
from inspector.cli.options import together
from inspector.errors import RecordingError, UsageError
from inspector.report.baseline import Baseline
from inspector.report.fail_on import parse_fail_on
from inspector.report.finding import Finding, Place
from inspector.report.gate import judged, verdict
from inspector.report.report import Report
from inspector.report.severity import Severity

EXIT_FINDINGS = 1
_WRITE_ONE = "Write one with: inspect explain … -o baseline.json"
# What a baseline alone fails on: nobody compares in order to pass whatever is new.
_BY_DEFAULT = (Severity.WARNING.value,)

gate_options = together(
    click.option(
        "--fail-on", multiple=True, metavar="NAME",
        help="Exit with 1 on findings of this rule or severity. NAME is a rule (graph-break, "
        "recompile, …) or the minimum severity (error, warning, info). Repeat it, or separate "
        "names with commas.",
    ),
    click.option(
        "--baseline", type=click.Path(path_type=Path), metavar="FILE",
        help="Fail only on findings that are not in this earlier report.json. The default of "
        "--fail-on is then warning.",
    ),
)  # fmt: skip
"""What to fail on, and what is known already."""


Asked: TypeAlias = tuple[tuple[str, ...], Baseline | None]
"""What a gate fails on, and what is known."""


def asked_gate(
    fail_on: Iterable[str], baseline: Path | None, output: Path | None = None
) -> Asked | None:
    """The gate that the options ask for, or None; what is wrong with them is said at once."""
    rules = (*plugins.load_rules("run"), *plugins.load_rules("gate"))
    severities = [severity.value for severity in Severity]
    chosen = parse_fail_on(fail_on, [*(rule.id for rule in rules), *severities])
    if baseline is not None and output is not None and output.resolve() == baseline.resolve():
        message = f"The report would overwrite the baseline {baseline}."
        raise UsageError(message, "Choose another file with -o, or drop --baseline.")
    if baseline is None:
        return (chosen, None) if chosen else None
    return chosen or _BY_DEFAULT, read_baseline(baseline)


def with_gate(report: Report, asked: Asked | None) -> Report:
    """A report with the verdict on it, where one was asked for."""
    if asked is None:
        return report
    named = [rule for rule in plugins.load_rules("gate") if rule.id in asked[0]]
    found = (*report.findings, *(item for rule in named for item in rule.check(report.run)))
    gate, findings = judged(report.run, found, *asked)
    return dataclasses.replace(report, gate=gate, findings=findings)


def print_verdict(report: Report, prefix: str = "") -> None:
    """Says on standard error whether the gate passes, where the report itself goes elsewhere."""
    if report.gate is not None:
        sys.stderr.write(f"{prefix}gate: {verdict(report.gate)}\n")


def read_baseline(path: Path) -> Baseline:
    """Reads an earlier report (``-o report.json``)."""
    try:
        report = json.loads(path.read_bytes())
        recording = report["recording"]
        if reason := recording.get("partial") or recording.get("error"):
            first = str(reason).partition("\n")[0].rstrip(".")
            message = f"{path} cannot be a baseline: its recording is not complete ({first})."
            raise RecordingError(message, "Record it again and use the complete report.")
        torch = {process["versions"].get("torch", "") for process in report["environment"]}
        return Baseline(
            name=str(path),
            findings=tuple(map(_known_finding, report["findings"])),
            target=str(recording.get("target") or ""),
            settings=dict(recording.get("settings") or {}),
            torch=tuple(sorted(torch - {""})),
            is_trace=not recording.get("format_version"),
        )
    except OSError as error:
        message = f"The baseline {path} cannot be read ({error.strerror})."
        raise RecordingError(message, _WRITE_ONE) from error
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        message = f"{path} is not a JSON report of torch-inspector."
        raise RecordingError(message, _WRITE_ONE) from error


def _known_finding(entry: Mapping[str, Any]) -> Finding:
    return Finding(
        rule=str(entry["rule"]),
        severity=Severity(entry["severity"]),
        message=str(entry["message"]),
        place=Place(str(entry.get("file") or ""), int(entry.get("line") or 0)),
        gb_id=entry.get("gb_id"),
        fingerprint=str(entry["fingerprint"]),
    )
