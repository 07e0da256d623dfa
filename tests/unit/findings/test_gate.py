from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from inspector.findings.baseline import Baseline, KnownFinding
from inspector.findings.verdict import changes, verdict
from inspector.model.run import LogWarning
from tests.unit.logs import broken, metrics, run_of, start
from tests.unit.renderers import runs
from tests.unit.renderers.gates import gated, with_gate

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.findings.gate import Gate
    from inspector.findings.report import Report


def verdict_of(report: Report) -> tuple[bool, str]:
    assert report.gate is not None
    return report.gate.passed, verdict(report.gate)


def gate_of(report: Report) -> Gate:
    gate = with_gate(report).gate
    assert gate is not None
    return gate


def test_later_findings_count_as_well() -> None:
    report = with_gate(runs.report_of(runs.broken()))

    assert [finding.later for finding in report.findings] == [False, False, True]
    assert verdict_of(report) == (False, "failed: 3 findings (--fail-on graph-break)")
    assert all(finding.fails_gate and finding.is_new is None for finding in report.findings)


def test_other_rules_do_not_count() -> None:
    report = with_gate(runs.report_of(runs.broken()), None, "recompile")

    assert verdict_of(report) == (True, "passed: no finding (--fail-on recompile)")


def test_only_new_findings_fail_against_a_baseline() -> None:
    report = gated()

    assert verdict_of(report) == (
        False,
        "failed: 2 new findings (--fail-on graph-break); 2 new, 1 known, 1 fixed since old.json",
    )
    assert [finding.is_new for finding in report.findings] == [False, True, True]
    assert [change.status for change in changes(report)] == ["new", "new", "fixed"]


def test_known_findings_pass() -> None:
    report = runs.report_of(runs.broken())
    old = Baseline("old.json", tuple(map(KnownFinding.of, report.findings)))

    assert verdict_of(with_gate(report, old)) == (
        True,
        "passed: no new finding (--fail-on graph-break); 0 new, 3 known, 0 fixed since old.json",
    )


def test_new_findings_of_other_rules_are_shown_and_pass() -> None:
    report = with_gate(runs.report_of(runs.broken()), Baseline("old.json", ()), "recompile")

    assert verdict_of(report)[0]
    assert [change.status for change in changes(report)] == ["new, passes"] * 3


def test_what_was_recorded_otherwise_is_said() -> None:
    gate = gated().gate
    assert gate is not None
    assert gate.baseline is not None
    assert gate.baseline.differences == (
        "torch 2.11.0+cpu → 2.13.0+cpu",
        'backend "inductor" → "eager"',
    )


def test_another_working_directory_is_no_difference() -> None:
    old = Baseline("old.json", (), target="sub/model.py")
    gate = with_gate(runs.report_of(runs.broken()), old).gate
    assert gate is not None
    assert gate.baseline is not None
    assert gate.baseline.differences == ()


@pytest.mark.parametrize(
    ("changes_", "said"),
    [
        ({"partial": "it was killed (SIGKILL)."}, "partial: it was killed (SIGKILL)"),
        ({"error": "RuntimeError: no"}, "the program failed"),
    ],
)
def test_what_is_not_whole_never_passes(changes_: dict[str, str], said: str) -> None:
    run = runs.unbroken()
    run = dataclasses.replace(run, meta=dataclasses.replace(run.meta, **changes_))
    gate = gate_of(runs.report_of(run))

    assert (gate.failing, gate.passed) == (0, False)
    assert said in gate.incomplete
    assert "findings may be missing" in verdict(gate)


def test_a_log_that_could_not_be_read_never_passes() -> None:
    run = dataclasses.replace(runs.unbroken(), warnings=(LogWarning("a.log", 3, "cut off"),))

    assert not gate_of(runs.report_of(run)).passed


def test_a_run_in_which_nothing_was_compiled_does_not_pass() -> None:
    assert gate_of(runs.report_of(runs.nothing())).incomplete == "nothing was compiled"


def test_unless_the_baseline_knows_why() -> None:
    report = runs.report_of(runs.nothing())
    old = Baseline("old.json", tuple(map(KnownFinding.of, report.findings)))

    assert report.findings
    assert verdict_of(with_gate(report, old))[0]


def test_a_trace_that_ends_in_a_compilation_does_not_pass(tmp_path: Path) -> None:
    cut = runs.report_of(run_of(tmp_path, start()))
    whole = runs.report_of(run_of(tmp_path, start(), metrics()))

    assert "while a function is being compiled" in gate_of(cut).incomplete
    assert gate_of(whole).passed
    assert gate_of(runs.report_of(run_of(tmp_path, start(), broken(), metrics()))).failing == 1
