"""What `--verify` tries, on models for which it is known what helps."""

from __future__ import annotations

import json
from pathlib import Path

from inspector.report.report import Report
from inspector.run.verification import Trial, Verification
from tests.compile.test_explain import inspect
from tests.compile.verifying import Verify

SCALAR = """
import torch

def model(x):
    scale = x.sum().item()
    return x * scale

example_inputs = (torch.ones(4),)
"""
NESTED = """
import torch

def helper(x):
    x = x * 2
    print("inside", [])
    return x + 1

def model(x):
    x = helper(x + 1)
    if x.sum() > 0:
        x = x - 1
    return x

example_inputs = (torch.ones(4),)
"""
RANDOM = """
import random, numpy, torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.norm = torch.nn.BatchNorm1d(4)
        self.drop = torch.nn.Dropout()

    def forward(self, x):
        print("inside")
        return self.drop(self.norm(self.linear(x)))

model = Net().train()
example_inputs = (torch.randn(8, 4) * random.random() + float(numpy.random.rand()),)
"""

SIZES = """
import torch

def model(x):
    return x * 2

example_inputs = [(torch.ones(rows, 3),) for rows in (4, 5, 6)]
"""


def tried(report: Report) -> tuple[Verification, dict[str, Trial]]:
    """What was tried, and every trial of one setting by its name."""
    verification = report.verification
    assert verification is not None
    single = [trial for trial in verification.trials if len(trial.candidate.settings) == 1]
    return verification, {trial.candidate.settings[0][0]: trial for trial in single}


def test_a_scalar_output_is_captured(verify: Verify) -> None:
    report = verify(SCALAR)
    verification, trials = tried(report)
    trial = trials["capture_scalar_outputs"]

    assert verification.deterministic is True
    assert verification.baseline is not None
    assert (verification.baseline.graphs, verification.baseline.graph_breaks) == (2, 1)
    assert trial.measured is not None
    assert (trial.measured.graphs, trial.measured.graph_breaks, trial.helps) == (1, 0, True)
    assert trial.measured.warm_call_ns
    assert trial.measured.outputs is not None
    assert trial.measured.outputs.equal is True
    assert trial.candidate.gb_ids == ("GB0124",)
    assert report.findings[0].verified[0].outputs_equal is True


def test_nested_graph_breaks_take_5_graphs_to_3(verify: Verify) -> None:
    verification, trials = tried(verify(NESTED))
    trial = trials["nested_graph_breaks"]

    assert verification.baseline is not None
    assert trial.measured is not None
    assert (verification.baseline.graphs, trial.measured.graphs) == (5, 3)
    assert trial.helps


def test_every_generator_is_seeded_and_gradients_and_buffers_are_compared(verify: Verify) -> None:
    verification, trials = tried(verify(RANDOM, train=True, calls=3))
    trial = trials["ignore_logging_functions"]

    assert verification.deterministic is True
    assert trial.measured is not None
    assert trial.measured.outputs is not None
    # output, input, its gradient (there is none), 4 gradients, 3 buffers
    assert (trial.measured.outputs.values, trial.measured.outputs.equal) == (10, True)
    assert trial.measured.outputs.uncompared == 0


def compilations(verification: Verification, trial: Trial) -> tuple[int, int]:
    """Compilations before and after."""
    assert verification.baseline is not None
    assert trial.measured is not None
    assert trial.measured.outputs is not None
    assert trial.measured.outputs.equal is True
    return verification.baseline.compilations, trial.measured.compilations


def test_sizes_that_change_compile_once(verify: Verify) -> None:
    report = verify(SIZES)
    verification, trials = tried(report)

    assert list(trials)[:3] == ["TORCH_COMPILE_DYNAMIC_SOURCES", "mark_dynamic", "dynamic"]
    sources = trials["TORCH_COMPILE_DYNAMIC_SOURCES"]
    assert sources.candidate.settings[0][1] == ("L['x']",)
    assert compilations(verification, sources) == (2, 1)
    assert sources.helps
    assert sources.removed == tuple(finding.fingerprint for finding in report.findings)
    assert [compilations(verification, trial) for trial in trials.values()] == [(2, 1)] * 3
    assert trials["mark_dynamic"].candidate.settings[0][1] == ("x:0",)


def test_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(SCALAR)
    asked = ["explain", "model.py", "--verify", "-o", "report.json", "--format", "terminal"]
    done = inspect(asked, tmp_path)
    report = json.loads((tmp_path / "report.json").read_text())

    assert done.returncode == 0, done.stderr
    assert "set:  capture_scalar_outputs=True removes it (tried; outputs stay equal)" in done.stdout
    assert [trial["helps"] for trial in report["verification"]["trials"]] == [True, True]
    rewrites = [trial["rewrites"] for trial in report["verification"]["trials"]]
    assert [[rewrite["advice"] for rewrite in each] for each in rewrites] == [[], ["item"]]
    assert report["verification"]["backend"] == "eager"
    assert "outputs" not in json.dumps(report["recording"])
    assert len(list((tmp_path / ".inspector").glob("[0-9]*"))) == 1

    refused = inspect(["explain", "--verify"], tmp_path)
    assert refused.returncode == 2
    assert "--verify does not apply to a recording" in refused.stderr


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

    assert list(trials) == ["branch-where", "item"]
    for trial in trials.values():
        assert trial.measured is not None
        assert trial.measured.outputs is not None
        assert (trial.helps, trial.measured.outputs.equal) == (True, True)
        assert len(trial.removed) == 1
    assert trials["branch-where"].candidate.rewrites[0].place == "helper.py:11"
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
