"""`inspect repro` and `inspect numerics` on faults that are planted in the compiler."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from benchmarks.planted_faults import PLANTS, Plant, outcome
from tests.compile.warm_python import INSPECT

ROOT = Path(__file__).resolve().parents[2]
QUICK = ("wrong_post_grad_pass",)
NAN = """
import torch

def model(x):
    y = torch.log(x - 1)
    return torch.relu(y) * 2

example_inputs = (torch.rand(4, 8),)
"""
pytestmark = pytest.mark.compile


@pytest.mark.parametrize(
    "plant",
    [
        pytest.param(plant, id=plant.name, marks=() if plant.name in QUICK else pytest.mark.wild)
        for plant in PLANTS
    ],
)
def test_a_planted_fault_is_located_and_shown_alone(plant: Plant, tmp_path: Path) -> None:
    found = outcome(plant, tmp_path)
    assert found.is_located
    assert found.has_operator
    assert found.shows


def test_where_a_nan_first_appears(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(NAN)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [*INSPECT, "numerics", "model.py", "-o", "report.json"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    data = json.loads((tmp_path / "report.json").read_text())
    assert not data["differs"]
    (found,) = data["inputs"][0]["not_finite"]
    assert (found["value"], found["is_eager"], found["operator"]) == ("NaN", True, "aten.log")
    assert found["code"] == "y = torch.log(x - 1)"
