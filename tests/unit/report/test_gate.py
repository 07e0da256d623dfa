import dataclasses
from pathlib import Path
from typing import Any

import pytest

from inspector.records.environment import End
from inspector.report.baseline import Baseline
from inspector.report.gate import Gate, changes, verdict
from inspector.report.report import Report
from inspector.run.compilation import Frame
from inspector.run.run import LogWarning, Process
from tests.unit.logs import broken, metrics, run_of, start
from tests.unit.render import runs
from tests.unit.render.gates import gated, with_gate


def gate_of(report: Report) -> Gate:
    gate = with_gate(report).gate
    assert gate is not None
    return gate


def baseline_of(report: Report, **changed: Any) -> Baseline:
    return Baseline("old.json", report.findings, **changed)


BROKEN = runs.report_of(runs.broken())
ALL = len(BROKEN.findings)  # of every rule there is
ASKED = "(--fail-on graph-break)"
OTHERS = "(--fail-on recompile)"


@pytest.mark.parametrize(
    ("report", "said", "states"),
    [
        (with_gate(BROKEN), "failed: 3 findings (--fail-on graph-break)", []),
        (with_gate(BROKEN, None, "recompile"), "passed: no finding (--fail-on recompile)", []),
        (
            gated(),
            f"failed: 2 new findings {ASKED}; 2 new, {ALL - 2} known, 1 fixed since old.json",
            ["new", "new", "fixed"],
        ),
        (
            with_gate(BROKEN, baseline_of(BROKEN)),
            f"passed: no new finding {ASKED}; 0 new, {ALL} known, 0 fixed since old.json",
            [],
        ),
        (
            with_gate(BROKEN, Baseline("old.json", ()), "recompile"),
            f"passed: no new finding {OTHERS}; {ALL} new, 0 known, 0 fixed since old.json",
            ["new, passes"] * ALL,
        ),
    ],
    ids=["all", "other rules", "some known", "all known", "new ones of other rules"],
)
def test_verdicts(report: Report, said: str, states: list[str]) -> None:
    gate = report.gate
    assert gate is not None
    assert (verdict(gate), gate.passed) == (said, said.startswith("passed"))
    assert [status for status, *_ in changes(gate, report.findings)] == states
    assert gate.failing == sum(finding.fails_gate for finding in report.findings)


def differences(old: Baseline) -> tuple[str, ...]:
    gate = with_gate(BROKEN, old).gate
    assert gate is not None
    assert gate.baseline is not None
    return gate.baseline.differences


def test_what_was_recorded_otherwise_is_said_and_the_folder_is_not() -> None:
    settings = {"backend": "inductor", "device": "cpu"}
    old = baseline_of(BROKEN, target="model.py", settings=settings, torch=("2.11.0+cpu",))
    said = ("torch 2.11.0+cpu → 2.13.0+cpu", 'backend "inductor" → "eager"')
    assert differences(old) == said
    assert differences(Baseline("old.json", (), target="sub/model.py")) == ()


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
    gate = with_gate(report, baseline_of(report)).gate

    assert report.findings
    assert gate is not None
    assert gate.passed


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
