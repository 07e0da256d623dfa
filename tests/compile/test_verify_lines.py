"""What `--verify` tries of lines: the advice put into the file, which stays as it is."""

from __future__ import annotations

from pathlib import Path

from inspector.report.report import Report
from inspector.run.verification import Trial
from tests.compile.verifying import Verify

# One line is in a module that the file imports.
LINES = """
import torch
import helper

def model(x):
    scale = x.std().item()
    x = x / max(scale, 1e-3)
    return helper.chosen(x)

example_inputs = (torch.arange(4.0),)
"""
HELPER = """
import torch

def dear(x):
    for _ in range(30):
        x = (x @ x.t()).tanh() @ x
    return x

def chosen(x):
    x = x.expand(64, 4) * 1
    if x.sum() > 1e9:
        x = dear(x)
    else:
        x = x + 1
    return x * 2
"""
# Both sides have one shape, and not one dtype: the choice is of another one.
UNLIKE = """
import torch

def model(x):
    if x.sum() > 0:
        y = x.half()
    else:
        y = x * 2
    return y

example_inputs = (torch.ones(4),)
"""


def of_lines(report: Report) -> dict[str, Trial]:
    """The trials of one change of a line, by the advice."""
    assert report.verification is not None
    trials = (trial for trial in report.verification.trials if trial.candidate.is_single)
    return {
        trial.candidate.rewrites[0].advice: trial for trial in trials if trial.candidate.rewrites
    }


def test_what_is_advised_of_lines_is_tried_and_the_file_stays(
    verify: Verify, tmp_path: Path
) -> None:
    (tmp_path / "helper.py").write_text(HELPER)
    report = verify(LINES)
    trials = of_lines(report)

    assert list(trials) == ["branch-where", "branch-cond", "item"]
    for trial in trials.values():
        assert trial.measured is not None
        assert trial.measured.outputs is not None
        assert (trial.helps, trial.measured.outputs.equal) == (True, True)
        assert len(trial.removed) == 1
    assert trials["branch-cond"].candidate.rewrites[0].place == "helper.py:11"
    assert trials["item"].candidate.rewrites[0].place == "model.py:6"
    together = report.verification and report.verification.trials[-1]
    assert together is not None
    assert together.measured is not None
    assert (together.measured.graph_breaks, together.measured.graphs) == (0, 1)
    assert (tmp_path / "model.py").read_text() == LINES
    assert (tmp_path / "helper.py").read_text() == HELPER


def test_a_change_that_gives_something_else_is_told(verify: Verify) -> None:
    report = verify(UNLIKE)
    trial = of_lines(report)["branch-where"]

    assert trial.measured is not None
    assert trial.measured.outputs is not None
    assert (trial.measured.graph_breaks, trial.measured.outputs.equal) == (0, False)
    assert not trial.helps
    assert [tried.outputs_equal for tried in report.findings[0].verified if tried.rewrites] == [
        False
    ]
    # `torch.cond` takes no sides of unlike dtypes.
    assert of_lines(report)["branch-cond"].failure
