"""The gate from its command lines, with everything real."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.compile.test_explain import inspect

MODEL = """
import torch

def helper(x):
    print("inside")
    return x + 1

def other(x):
    return x - 1

def model(x):
    return other(helper(x * 2))

example_inputs = (torch.ones(4),)
"""
SAME_KIND = MODEL.replace("return x - 1", 'print("inside")\n    return x - 1')
SLEEPS = "import time, torch\ntime.sleep(99)\n"
# One child is killed in its first compilation; another leaves as a server's worker does.
FORKS = """
import os, signal, sys, torch

def killed(graph, inputs):
    os.kill(os.getpid(), signal.SIGKILL)

def first(x):
    return x.sin()

def served(x):
    return x.cos()

torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))
for number in range(2):
    pid = os.fork()
    if not pid:
        if number:
            torch.compile(served, backend="eager")(torch.ones(3))
        elif "kill" in sys.argv:
            torch.compile(first, backend=killed)(torch.ones(3))
        os._exit(0)
    os.waitpid(pid, 0)
"""
# A break, and then so much that it is dropped from the log.
PROGRAM = "import sys\ntorch.compile(model, backend='eager')(*example_inputs)\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model and the report of it."""
    folder = tmp_path_factory.mktemp("gate")
    (folder / "model.py").write_text(MODEL)
    # How long calls take is no part of what is compared here.
    asked = ["explain", "model.py", "--no-measure", "-o", "old.json", "--save", "old"]
    done = inspect(asked, folder)
    assert done.returncode == 0, done.stderr
    return folder


def gated(folder: Path, source: str, *options: str) -> tuple[int, dict[str, Any], str]:
    """Exit code, report and standard error of a model against the old report."""
    (folder / "changed").mkdir(exist_ok=True)
    (folder / "changed" / "model.py").write_text(source)
    asked = ["--fail-on", "graph-break", "--baseline", "old.json", "--format", "json"]
    done = inspect(["explain", "changed/model.py", "--no-measure", *asked, *options], folder)
    return done.returncode, json.loads(done.stdout), done.stderr


def test_a_break_fails_without_a_baseline(folder: Path) -> None:
    done = inspect(["explain", "old", "--fail-on", "graph-break"], folder)

    assert done.returncode == 1
    assert "gate: failed: 1 finding (--fail-on graph-break)" in done.stdout
    assert (
        inspect(["explain", "old", "--fail-on", "recompile,skipped-frame"], folder).returncode == 0
    )


def test_30_lines_above_a_known_break_do_not_fail(folder: Path) -> None:
    code, report, said = gated(folder, "import math\n" * 30 + MODEL)

    assert code == 0
    assert report["findings"][0]["line"] == 35
    assert report["gate"]["baseline"]["known"] == 1
    assert "gate: passed: no new finding" in said


def test_a_new_break_of_the_same_kind_in_another_function_fails(folder: Path) -> None:
    code, report, said = gated(folder, SAME_KIND)

    assert code == 1
    assert [item["function"] for item in report["findings"] if item["is_new"]] == ["other"]
    assert [item["fails_gate"] for item in report["findings"]] == [False, True]
    assert report["gate"]["baseline"] == {
        "name": "old.json", "new": 1, "known": 1, "fixed": [], "differences": [],
    }  # fmt: skip
    assert "gate: failed: 1 new finding" in said


def test_a_partial_recording_never_passes(folder: Path) -> None:
    """It has no finding that could fail."""
    code, report, said = gated(folder, SLEEPS, "--timeout", "2")

    assert code == 3
    assert (report["gate"]["failing"], report["gate"]["passed"]) == (0, False)
    assert "after 2 seconds (--timeout)" in report["gate"]["incomplete"]
    assert "findings may be missing: the recording is partial" in said


@pytest.mark.parametrize(
    ("last", "options", "code"),
    [("", ["--fail-on", "graph-break"], 1), ("sys.exit(7)\n", ["--fail-on", "graph-break"], 7)],
)
def test_the_programs_own_exit_code_wins(
    folder: Path, last: str, options: list[str], code: int
) -> None:
    (folder / "model_run").mkdir(exist_ok=True)
    (folder / "model_run" / "model.py").write_text(MODEL + PROGRAM + last)
    done = inspect(["run", *options, "model_run/model.py"], folder)

    assert done.returncode == code, done.stderr
    assert "inspect: gate: " in done.stderr


def test_a_worker_that_was_killed_while_it_compiled_never_passes(tmp_path: Path) -> None:
    (tmp_path / "serve.py").write_text(FORKS)
    arguments = ["run", "--no-measure", "--fail-on", "graph-break,skipped-frame,recompile,error"]
    killed = inspect([*arguments, "serve.py", "kill"], tmp_path)
    left = inspect([*arguments, "serve.py"], tmp_path)

    assert killed.returncode == 1, killed.stderr
    assert " ends while `first` is being compiled" in killed.stderr
    assert left.returncode == 0, left.stderr
    assert "gate: passed" in left.stderr


def test_a_baseline_is_not_written_over(folder: Path) -> None:
    done = inspect(["explain", "old", "--baseline", "old.json", "-o", "./old.json"], folder)

    assert (done.returncode, done.stdout) == (2, "")
    assert "would overwrite the baseline" in done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
