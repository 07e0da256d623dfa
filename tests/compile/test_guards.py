"""``inspect guards`` on a model without any graph break, recorded once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from inspector.cli.schema import schema_of
from tests.compile.warm_python import INSPECT

pytestmark = pytest.mark.compile
ROOT = Path(__file__).resolve().parents[2]
MODEL = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, index):
        super().__init__()
        self.layer_idx = index
        self.norm, self.linear = nn.LayerNorm(8), nn.Linear(8, 8)

    def forward(self, x):
        return x + self.linear(self.norm(x)) * self.layer_idx


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(i) for i in range(12)])

    def forward(self, x, scale):
        for block in self.blocks:
            x = block(x)
        return x * scale


model = Net()
example_inputs = [(torch.randn(4, 8), 3)]
"""


def inspect(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    command = [*INSPECT, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("guards")
    (place / "model.py").write_text(MODEL)
    done = inspect(place, "guards", "model.py", "-o", "report.json", "--save", "a.zip")
    assert done.returncode == 0, done.stderr
    return place


@pytest.fixture(scope="module")
def report(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return found


def test_it_is_what_its_schema_says(report: dict[str, Any]) -> None:
    schema = schema_of("guards")
    jsonschema.validate(report, schema)
    assert not report["unread_lines"]


def test_calls_are_measured_although_all_is_one_graph(report: dict[str, Any]) -> None:
    time = report["time"]
    assert time["lookups_per_call"] == 1
    assert time["calls"] >= 3
    assert 0 < time["per_call_ns"] < time["call_ns"]
    assert report["frames"][0]["per_call_ns"] == time["per_call_ns"]


def test_guards_are_counted_by_module_and_by_line(report: dict[str, Any]) -> None:
    modules = {group["name"]: group for group in report["modules"]}
    assert modules["self.blocks[*].linear"]["modules"] == 12
    assert sum(group["guards"] for group in report["modules"]) == report["guards"]
    own = [cause for cause in report["causes"] if cause["is_user"]]
    assert {cause["file"] for cause in own} == {"model.py"}
    assert own[0]["code"] == "return x + self.linear(self.norm(x)) * self.layer_idx"


def test_what_recompiles_next(report: dict[str, Any]) -> None:
    texts = [item["text"] for item in report["frames"][0]["next_changes"]]
    assert texts[0] == "x.size(0) is specialized on 4: another size recompiles and becomes dynamic"
    (index,) = (item for item in report["frames"][0]["next_changes"] if "layer_idx" in item["name"])
    assert index["becomes"] == "a constant again"
    assert index["more"] == 11


def test_a_recording_of_explain_says_what_shows_the_cost(folder: Path) -> None:
    assert inspect(folder, "explain", "model.py", "--no-measure").returncode in (0, 1)
    done = inspect(folder, "guards")
    assert done.returncode == 0, done.stderr
    assert "run `inspect guards model.py` to measure it" in " ".join(done.stdout.split())


def test_cuda_graphs_need_a_gpu_and_say_so(folder: Path) -> None:
    if _has_cuda():
        pytest.skip("there is a GPU")
    done = inspect(folder, "guards", "model.py", "--cudagraphs", "--no-progress")

    assert done.returncode == 4
    assert done.stderr.startswith("error: The device `cuda` is not available: ")
    assert "--device cpu" in done.stderr
    recorded = inspect(folder, "guards", "a.zip", "--cudagraphs")
    assert recorded.returncode == 0
    assert "CUDA graphs were not enabled. They need an NVIDIA GPU" in recorded.stdout


def _has_cuda() -> bool:
    script = "import sys, torch; sys.exit(not torch.cuda.is_available())"
    return subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
