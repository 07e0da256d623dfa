"""The backend openxla with the real torch_xla, on the CPU: `nox -s xla`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "docs/schema"
MODEL = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(16, 32)
        self.drop = nn.Dropout(0.5)
        self.second = nn.Linear(32, 16)

    def forward(self, x):
        return x + self.second(self.drop(torch.nn.functional.gelu(self.first(x))))


torch.manual_seed(0)
model = Block().eval()
example_inputs = (torch.randn(4, 16),)
"""


def inspect(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "inspector.commands", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )


def read(folder: Path, *arguments: str) -> dict[str, Any]:
    done = inspect(folder, *arguments, "--format", "json", "--no-progress")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def schema(name: str) -> Any:
    return json.loads((SCHEMAS / f"{name}-1.schema.json").read_text())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(MODEL)
    return tmp_path


def test_a_row_beside_eager_on_the_cpu(folder: Path) -> None:
    report = read(
        folder, "bench", "model.py", "--modes", "none", "--backends", "openxla", "--sessions", "1"
    )
    jsonschema.validate(report, schema("bench"))
    eager, xla = report["groups"][0]["rows"]
    assert (eager["label"], xla["label"]) == ("eager", "openxla")
    assert report["device"] == "cpu"
    assert xla["latency_ns"] > 0
    assert xla["faster_than_eager"] > 0
    assert not xla["failure"]
    # It was compiled by XLA, and not left to operators of the CPU.
    assert xla["compiled"]["xla_programs"] == 1
    assert 0 < xla["compiled"]["xla_compile_ns"] < xla["first_call_ns"]
    assert eager["compiled"] is None
    assert not xla["wrong"]
    assert {error["reference"] for error in xla["errors"]} == {"eager", "float64"}
    assert all(error["relative"] < 1e-5 for error in xla["errors"])


def test_sizes_that_change_compile_again_with_and_without_dynamo(folder: Path) -> None:
    report = read(
        folder, "bench", "model.py", "--modes", "none", "--backends", "openxla",
        "--vary", "x[0]=2,3,5", "--shapes", "auto,dynamic",
    )  # fmt: skip
    jsonschema.validate(report, schema("bench"))
    found = {item["setting"]: item for item in report["varied"]}
    auto, dynamic = found["openxla"], found["openxla + dynamic"]
    # XLA compiles each size; torch_xla switches automatic dynamic shapes off.
    assert [item["xla_programs"] for item in auto["inputs"]] == [1, 1, 1]
    assert [item["compiled"] for item in auto["inputs"]] == [1, 1, 1]
    assert [item["xla_programs"] for item in dynamic["inputs"]] == [1, 1, 1]
    assert [item["compiled"] for item in dynamic["inputs"]] == [1, 0, 0]
    assert dynamic["compiled_inputs"] == 3
    assert all(item["cached_call_ns"] for item in auto["inputs"])


def test_a_training_step_that_draws_is_not_called_wrong(folder: Path) -> None:
    text = MODEL.replace("Block().eval()", "Block()")
    (folder / "model.py").write_text(text)
    report = read(
        folder, "bench", "model.py", "--modes", "none", "--backends", "openxla", "--train",
        "--optimizer", "SGD", "--sessions", "1",
    )  # fmt: skip
    rows = report["groups"][0]["rows"]
    xla = [row for row in rows if row["setting"]["backend"] == "openxla"]
    assert xla
    assert all(row["latency_ns"] and not row["wrong"] for row in xla)


def test_hlo_is_a_stage_of_the_recording(folder: Path) -> None:
    made = inspect(
        folder, "explain", "model.py", "--backend", "openxla", "--train", "--no-measure",
        "--save", "rec.zip", "--no-progress",
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    report = read(folder, "graph", "rec.zip", "--stage", "hlo")
    assert [graph["name"] for graph in report["graphs"]] == ["0/0 hlo forward", "0/0 hlo backward"]
    forward = report["graphs"][0]["nodes"]
    dots = [node for node in forward if node["target"] == "dot"]
    assert [node["modules"][-1]["path"] for node in dots] == ["first", "second"]
    assert {node["stack"][-1]["line"] for node in dots} == {13}
    assert inspect(folder, "graph", "rec.zip", "--stage", "hlo", "-o", "g.dot").returncode == 0
    assert "digraph" in (folder / "g-0_0-hlo-forward.dot").read_text()


def test_graph_records_hlo_of_a_model_by_itself(folder: Path) -> None:
    report = read(folder, "graph", "model.py", "--stage", "hlo")
    (graph,) = report["graphs"]
    assert graph["name"] == "0/0 hlo inference" or graph["direction"] == "forward"
    assert any(node["target"] == "dot" for node in graph["nodes"])


def test_another_device_is_refused(folder: Path) -> None:
    done = inspect(folder, "explain", "model.py", "--backend", "openxla", "--device", "cpu")
    assert done.returncode == 2
    assert "Leave --device out" in done.stderr
