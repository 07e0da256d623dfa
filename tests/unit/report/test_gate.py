from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from inspector.records.environment import End
from inspector.report.baseline import Baseline, KnownFinding
from inspector.report.verdict import changes, verdict
from inspector.run.compilation import Frame
from inspector.run.run import LogWarning, Process
from tests.unit.logs import broken, metrics, run_of, start
from tests.unit.render import runs
from tests.unit.render.gates import gated, with_gate

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.report.gate import Gate
    from inspector.report.report import Report


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
    assert [status for status, *_ in changes(report)] == ["new", "new", "fixed"]


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
    assert [status for status, *_ in changes(report)] == ["new, passes"] * 3


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
        ({"error": "Rank 1 has not come.", "error_exit_code": 2}, "it ended early"),
    ],
)
def test_what_is_not_whole_never_passes(changes_: dict[str, Any], said: str) -> None:
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

    assert gate_of(cut).incomplete == "the trace ends while `f` is being compiled"
    assert gate_of(whole).passed
    assert gate_of(runs.report_of(run_of(tmp_path, start(), broken(), metrics()))).failing == 1


def worker(*, ended: bool, cut: bool, pid: int = 12) -> Process:
    """A process that compiled a helper, and then perhaps began to compile it again."""
    again = runs.compilation(1, finished=not cut, has_guarded_code=None if cut else True)
    frame = Frame(1, "helper", runs.MODEL, 9, (runs.compilation(1), again))
    process = runs.process_of(frame, pid=pid)
    return process.with_records(End()) if ended else process


def gate_of_workers(*workers: Process) -> Gate:
    (whole,) = runs.unbroken().processes
    return gate_of(runs.report_of(runs.run_of(whole.with_records(End()), *workers)))


def test_a_worker_that_was_killed_while_it_compiled_does_not_pass() -> None:
    """Also where the function had been compiled before, so that its frame counts as compiled."""
    gate = gate_of_workers(worker(ended=False, cut=True))

    assert not gate.passed
    assert gate.incomplete == "the log of pid 12 ends while `helper` is being compiled"
    several = gate_of_workers(*(worker(ended=False, cut=True, pid=pid) for pid in (12, 13)))
    assert several.incomplete == (
        "the log of pid 12, the log of pid 13 end while `helper` is being compiled"
    )


@pytest.mark.parametrize(("ended", "cut"), [(False, False), (True, True), (True, False)])
def test_a_worker_that_left_when_it_was_done_passes(*, ended: bool, cut: bool) -> None:
    assert gate_of_workers(worker(ended=ended, cut=cut)).passed
