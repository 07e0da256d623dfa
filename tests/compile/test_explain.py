"""`inspect explain` and `inspect run` from their command lines, with everything real."""

from __future__ import annotations

import importlib.metadata
import json
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.compile.processes import ROOT, environment, finished
from tests.compile.warm_python import COLD, INSPECT

BREAKS = """
import torch

def helper(x):
    print("inside")
    return x + 1

def model(x):
    x = helper(x * 2)
    return x - 1

example_inputs = (torch.ones(4),)
"""
ENDLESS = """
import itertools, torch

def step(x, n):
    print("step")
    return x + n

def model(x):
    for n in itertools.count():
        torch.compile(step, backend="eager", dynamic=False)(x, n)
        torch._dynamo.reset()
    return x
model = torch.compiler.disable(model)
example_inputs = (torch.ones(4),)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(BREAKS)
    return tmp_path


def inspect(
    arguments: Sequence[str], folder: Path, **added: str
) -> subprocess.CompletedProcess[str]:
    return finished([*INSPECT, *arguments], folder, env=environment(ROOT, **added))


def explained(arguments: Sequence[str], folder: Path, code: int = 0) -> dict[str, Any]:
    done = inspect(["explain", *arguments, "--format", "json", "--no-progress"], folder)
    assert done.returncode == code, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


Recorded = tuple[Path, subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """A folder with a recording of a model with a break, and what was printed."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "model.py").write_text(BREAKS)
    return folder, inspect(["explain", "model.py", "--format", "json"], folder)


def test_a_break_has_its_place_and_the_models_output_goes_to_stderr(recorded: Recorded) -> None:
    _, done = recorded
    report = json.loads(done.stdout)
    # What guards cost is measured, and a finding now and then.
    (finding,) = [each for each in report["findings"] if each["rule"] == "graph-break"]

    assert done.returncode == 0
    assert done.stderr.count("inside") == 1  # the second call is ours
    assert (finding["file"], finding["line"], finding["column"]) == ("model.py", 5, 4)
    assert (finding["gb_id"], finding["records"], finding["rule"]) == ("GB0059", 2, "graph-break")
    assert finding["function"] == "helper"
    assert report["summary"]["graphs"] == 3
    assert report["summary"]["later"]["graphs"] == 0


def test_the_newest_recording_is_read_without_torch_and_the_same(recorded: Recorded) -> None:
    folder, done = recorded
    again = explained([], folder)
    assert again["findings"] == json.loads(done.stdout)["findings"]
    (folder / "model.py").write_text(BREAKS + "\n# edited\n")
    shown = inspect(["explain"], folder, INSPECTOR_DEBUG="1")

    assert shown.returncode == 0
    assert "recording 1 · model.py" in shown.stderr
    assert "model.py changed after the recording" in shown.stderr
    assert "model.py:5:5" in shown.stdout


FAILURES = {
    "a bad input": (["explain", "model.py", "--input", "f33[2]"], 2, "f33"),
    "an unknown backend": (["explain", "model.py", "--backend", "inducto"], 2, "inductor"),
    "a backend whose package is missing": (
        ["explain", "model.py", "--backend", "tvm"],
        4,
        "--backend inductor",
    ),
    "a mode of another backend": (["explain", "model.py", "--mode", "max-autotune"], 2, "inductor"),
    "no interpreter": (["explain", "model.py", "--python", "nopython"], 4, "--python"),
    "no script": (["run", "nothing.py"], 2, "nothing.py"),
}


@pytest.mark.parametrize(("arguments", "code", "said"), FAILURES.values(), ids=FAILURES)
def test_failures_are_one_sentence_with_the_next_step(
    folder: Path, arguments: list[str], code: int, said: str
) -> None:
    done = inspect(arguments, folder)

    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 4
    assert done.stdout == ""


BAD_FORWARD = """
import torch

def model(x):
    raise KeyError("mine")

example_inputs = (torch.ones(1),)
"""
MODELS = {"an exception in forward": (BAD_FORWARD, "KeyError: 'mine'")}


@pytest.mark.parametrize(("source", "said"), MODELS.values(), ids=MODELS)
def test_a_models_own_failure_is_shown_with_its_own_traceback(
    folder: Path, source: str, said: str
) -> None:
    (folder / "model.py").write_text(source)
    done = inspect(["explain", "model.py"], folder)
    output = done.stdout + done.stderr

    assert done.returncode == 3, output
    assert said in output
    assert "inspector/capture" not in output


def _child_of(pid: int) -> int | None:
    children = Path(f"/proc/{pid}/task/{pid}/children")
    pids = children.read_text().split() if children.exists() else []
    return int(pids[0]) if pids else None


def test_a_killed_child_leaves_a_partial_report(folder: Path) -> None:
    (folder / "model.py").write_text(ENDLESS)
    parent = subprocess.Popen(
        [*COLD, "explain", "model.py", "--format", "json"],
        cwd=folder,
        env=environment(ROOT),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert parent.stderr is not None
    while "step" not in parent.stderr.readline():
        assert parent.poll() is None
    child = _child_of(parent.pid)
    assert child is not None
    os.kill(child, signal.SIGKILL)
    stdout, _ = parent.communicate(timeout=60)
    report = json.loads(stdout)

    assert parent.returncode == 3
    assert "SIGKILL" in report["recording"]["partial"]
    assert report["summary"]["graph_breaks"] >= 1
    assert report["findings"][0]["line"] == 5


def test_a_failure_after_a_break_shows_both(folder: Path) -> None:
    (folder / "model.py").write_text(BREAKS.replace("return x - 1", "return x @ torch.ones(9)"))
    report = explained(["model.py"], folder, code=3)

    assert report["findings"]
    assert "also without torch.compile" in report["recording"]["error"]


ELEMENTS = """
import torch

def pick(table, step):
    doubled = table * 2
    return doubled[step]

def model(x, step, table):
    x = x + pick(table, step)
    return x.relu()

example_inputs = (torch.ones(3), torch.tensor(1), torch.ones(4, 3))
"""


def test_what_only_a_compiling_backend_refuses_has_its_line(tmp_path: Path) -> None:
    """Torch says the first line of the function, and asks to report an issue."""
    (tmp_path / "model.py").write_text(ELEMENTS)

    def said(*options: str) -> str:
        done = inspect(["explain", "model.py", "--no-progress", *options], tmp_path)
        return " ".join(done.stdout.split())

    taken, refused = said(), said("--backend", "aot_eager")
    assert "graph break GB" not in taken
    warning = "warning: Inductor cannot compile `return doubled[step]` (model.py:6)"
    assert warning in taken
    # Torch 2.11 and 2.12 underline nothing.
    place = "6" if importlib.metadata.version("torch") < "2.13" else "6:12"
    assert f"model.py:{place} graph break GB0219" in refused
    assert "_local_scalar_dense.default while executing operator.getitem" in refused
    assert "fix: Give the index a dimension" in refused
    assert "Inductor would not" not in refused


EARLIER = """
import torch

def first(x):
    return x + 1

@torch.compile(backend="eager")
def second(x):
    print("done")
    return x * 2

second(torch.ones(3))
"""


def test_what_a_file_compiled_before_its_target_failed_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(EARLIER)
    report = explained(["model.py"], tmp_path, code=2)
    (found,) = [item for item in report["findings"] if item["rule"] == "graph-break"]
    assert (found["file"], found["line"]) == ("model.py", 9)
    assert "capture" not in json.dumps(found["stack"])
    assert report["environment"][0]["has_inspector_events"]


def test_what_torch_logs_is_not_shown_again_before_the_report(tmp_path: Path) -> None:
    text = BREAKS.replace('print("inside")', "x.sum().item()")
    (tmp_path / "model.py").write_text(text)
    plain = inspect(["explain", "model.py"], tmp_path)
    assert "Tensor.item()" in plain.stdout
    assert not plain.stderr
    asked = inspect(["explain", "model.py"], tmp_path, TORCH_LOGS="graph_breaks")
    assert "capture_scalar_outputs = True" in asked.stderr
