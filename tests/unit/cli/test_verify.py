"""The order of the trials, with recordings made by hand in place of processes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from inspector.cli.verify import Outcome, verification_of
from inspector.records.trial import TrialResult
from inspector.run.run import Run
from inspector.shared.request import Request
from tests.unit.render import runs
from tests.unit.render.verified import EQUAL

if TYPE_CHECKING:
    from inspector.report.report import Report

REQUEST = Request("model.py", keep_outputs="/nowhere", calls=9)


def with_trial(run: Run) -> Run:
    trial = TrialResult("eager", 100, 90, EQUAL)
    (process,) = run.processes
    return dataclasses.replace(run, processes=(process.with_records(trial),))


def report() -> Report:
    return runs.report_of(with_trial(runs.broken()))


class Runner:
    """Gives one outcome after the other, and the last one for good."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = list(outcomes)
        self.requests: list[Request] = []
        self.said: list[str] = []

    def __call__(self, request: Request, doing: str) -> Outcome:
        self.requests.append(request)
        self.said.append(doing)
        return self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]


BROKEN, WHOLE = (Outcome(with_trial(make())) for make in (runs.broken, runs.unbroken))


def test_each_is_a_process_that_compares_its_outputs() -> None:
    runner = Runner(BROKEN)
    verification, code = verification_of(report(), REQUEST, runner)

    assert (code, verification.deterministic, verification.backend) == (0, True, "eager")
    assert {request.compare_outputs for request in runner.requests} == {"/nowhere"}
    assert {request.keep_outputs for request in runner.requests} == {None}
    assert {request.measure for request in runner.requests} == {False}
    assert [request.config for request in runner.requests] == [
        (),
        (("nested_graph_breaks", True),),
        (("reorderable_logging_functions", ("builtins.print",)),),
        (("ignore_logging_functions", ("builtins.print",)),),
        (),
        (),
    ]
    changed = [[edit.new for edit in request.edits] for request in runner.requests]
    assert changed[:4] == [[]] * 4
    assert changed[4]
    assert changed[5] == []  # as it is, again
    assert runner.said[:2] == [
        "trying the unchanged model (1 of 6)",
        "trying nested_graph_breaks=True (2 of 6)",
    ]
    assert runner.said[4].startswith("trying model.py:15: x = torch.where(")
    assert not any(trial.helps for trial in verification.trials)


@pytest.mark.parametrize(
    ("outcomes", "helps", "failure", "requests"),
    [
        ([BROKEN, WHOLE], True, "", 6),  # of what removes everything no combination is tried
        ([BROKEN, Outcome(None, "it broke")], False, "it broke", 6),
        ([BROKEN, dataclasses.replace(WHOLE, failure="it was ended")], False, "it was ended", 6),
    ],
    ids=["all help", "all fail", "all are cut off"],
)
def test_each_trial_is_a_row(
    outcomes: list[Outcome], failure: str, requests: int, *, helps: bool
) -> None:
    runner = Runner(*outcomes)
    verification, code = verification_of(report(), REQUEST, runner)

    assert code == 0
    assert [(trial.helps, trial.failure) for trial in verification.trials] == [(helps, failure)] * 4
    assert len(runner.requests) == requests


def test_what_helps_in_different_ways_is_tried_together() -> None:
    nested = runs.broken()
    (process,) = nested.processes
    fewer = dataclasses.replace(
        nested, processes=(dataclasses.replace(process, frames=process.frames[1:]),)
    )
    runner = Runner(BROKEN, Outcome(with_trial(fewer)), WHOLE)
    verification, _ = verification_of(report(), REQUEST, runner)

    assert runner.requests[-1].config == (
        ("nested_graph_breaks", True),
        ("reorderable_logging_functions", ("builtins.print",)),
    )
    assert len(verification.trials) == 5


def test_a_change_that_fails_in_plain_python_is_no_fault_of_the_model() -> None:
    run = with_trial(runs.broken())
    meta = dataclasses.replace(run.meta, error_detail="Traceback\nNameError: name 'th'\n")
    said = "model.py fails when called with its inputs, also without torch.compile."
    failed = Outcome(dataclasses.replace(run, meta=meta), said)
    verification, _ = verification_of(report(), REQUEST, Runner(BROKEN, failed))

    assert [trial.failure for trial in verification.trials][2:4] == [
        said,
        "the changed line also fails in plain Python: NameError: name 'th'",
    ]


def test_ctrl_c_ends_everything() -> None:
    runner = Runner(BROKEN, dataclasses.replace(BROKEN, stop=130))
    verification, code = verification_of(report(), REQUEST, runner)

    assert (code, verification.not_tried) == (130, "it was interrupted")
    assert verification.trials == ()


def test_a_recording_that_is_not_complete_is_not_tried() -> None:
    cut = with_trial(runs.broken())
    cut = dataclasses.replace(cut, meta=dataclasses.replace(cut.meta, partial="killed"))
    verification, _ = verification_of(runs.report_of(cut), REQUEST, Runner(BROKEN))

    assert verification.not_tried == "the recording is partial"
