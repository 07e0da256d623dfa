"""``inspect guards --levers``: what each setting saves against a measurement by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.levers import BY_HAND, MODEL
from tests.compile.warm_python import INSPECT

pytestmark = pytest.mark.compile
ROOT = Path(__file__).resolve().parents[2]
# The second input changes what the first left in the model.
COUNTING = """
import torch


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = 2.0

    def forward(self, x, factor):
        y = x * self.factor
        self.factor = factor
        return y


model = Counting()
example_inputs = [(torch.ones(3), 5.0)]
"""
_FILTER = "skip_guard_on_all_nn_modules_unsafe"


def levers(folder: Path, text: str) -> dict[str, Any]:
    """The levers of a model, by name."""
    (folder / "model.py").write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [*INSPECT, "guards", "model.py", "--levers", "-o", "report.json"]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    report = json.loads((folder / "report.json").read_text())
    # What is tried is no part of what is recorded.
    assert len(report["frames"]) == 1
    return {lever["name"]: lever for lever in report["levers"]}


def test_what_is_saved_is_what_is_measured_by_hand(tmp_path: Path) -> None:
    found = levers(tmp_path, MODEL)
    done = subprocess.run(
        [sys.executable, "-c", BY_HAND, _FILTER],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    _, plain_us, filtered_us = json.loads(done.stdout.splitlines()[-1])
    saved_us = plain_us - filtered_us[_FILTER]
    lever = found[_FILTER]
    noise_us = lever["noise_ns"] / 1e3 + 0.3 * saved_us
    assert lever["saved_ns"] / 1e3 == pytest.approx(saved_us, abs=noise_us)
    assert saved_us > plain_us / 2
    assert not any(item["broken"] or item["error"] for item in found.values())


def test_a_model_that_changes_what_guards_look_at_breaks_the_assumption(tmp_path: Path) -> None:
    found = levers(tmp_path, COUNTING)
    assert found[_FILTER]["broken"]
    assert found["skip_guard_eval_unsafe"]["broken"]
    # The guards that it keeps are those that fail here.
    assert not found["skip_guard_on_globals_unsafe"]["broken"]
