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
from inspector.report.baseline import Baseline, KnownFinding
from inspector.report.fail_on import parse_fail_on
from inspector.report.gate import judged, verdict
from inspector.report.report import FORMAT_VERSION, Report
from inspector.report.severity import Severity
from inspector.shared.near_matches import near_matches

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
    chosen = parse_fail_on(fail_on, [rule.id for rule in rules])
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
    report = _loaded(path)
    version = report.get("format_version")
    recording = report.get("recording")
    if not isinstance(version, int) or not isinstance(recording, dict):
        raise _no_report(path, "not a report")
    if version > FORMAT_VERSION:
        message = (
            f"{path} has format {version}, but this version supports formats up to "
            f"{FORMAT_VERSION}."
        )
        raise RecordingError(message, "Update torch-inspector: run git pull in its checkout.")
    if reason := recording.get("partial") or recording.get("error"):
        kind = "a partial recording" if recording.get("partial") else "a program that failed"
        first = str(reason).partition("\n")[0].rstrip(".")
        message = f"{path} cannot be a baseline: it is the report of {kind} ({first})."
        raise RecordingError(message, "Record it again and use the complete report.")
    try:
        environment = report.get("environment") or []
        torch = {(process.get("versions") or {}).get("torch") for process in environment}
        return Baseline(
            name=str(path),
            findings=tuple(map(_known_finding, report["findings"])),
            target=str(recording.get("target") or ""),
            settings=dict(recording.get("settings") or {}),
            torch=tuple(sorted(str(version) for version in torch if version)),
            is_trace=not recording.get("format_version"),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _no_report(path, "its findings are malformed") from error


def _loaded(path: Path) -> Mapping[str, Any]:
    try:
        report = json.loads(path.read_bytes())
    except OSError as error:
        near = near_matches(path.name, [item.name for item in path.parent.glob("*.json")])
        names = " or ".join(str(path.parent / name) for name in near)
        hint = f"Did you mean {names}?" if near else _WRITE_ONE
        message = f"The baseline {path} cannot be read ({error.strerror})."
        raise RecordingError(message, hint) from error
    except (ValueError, RecursionError) as error:  # also of bytes that are no text
        raise _no_report(path, "not JSON") from error
    if not isinstance(report, dict):
        raise _no_report(path, "not a report")
    return report


def _no_report(path: Path, reason: str) -> RecordingError:
    message = f"{path} is not a JSON report of torch-inspector ({reason})."
    return RecordingError(message, _WRITE_ONE)


def _known_finding(entry: Mapping[str, Any]) -> KnownFinding:
    return KnownFinding(
        rule=str(entry["rule"]),
        severity=Severity(entry["severity"]),
        message=str(entry["message"]),
        file=str(entry.get("file") or ""),
        line=int(entry.get("line") or 0),
        gb_id=entry.get("gb_id"),
        fingerprint=str(entry["fingerprint"]),
    )
