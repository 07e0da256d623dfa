"""``inspect bench`` on the CPU: a training step, other batches, many inputs."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from inspector.cli.schema import schema_of
from tests.compile.benches import PIECES, SHORT, bench

SIZES = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x, scale=1):
        return torch.relu(self.linear(x)) * scale

model = Net()
example_inputs = (torch.randn(4, 8),)
"""


def test_a_training_step_with_other_batches(tmp_path: Path) -> None:
    (tmp_path / "pieces.py").write_text(PIECES)
    done = bench(
        tmp_path, "pieces.py", "--modes", "none", "--backends", "aot_eager", "--train",
        "--optimizer", "SGD", "--batch", "4,2", *SHORT, "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [item["inputs"] for item in report["groups"]] == ["float32[4, 8]", "float32[2, 8]"]
    assert all(row["latency_ns"] for item in report["groups"] for row in item["rows"])
    group = report["groups"][0]
    assert [item["label"] for item in group["rows"]] == [
        "eager", "aot_eager", "aot_eager + optimizer compiled"
    ]  # fmt: skip
    assert all(item["latency_ns"] for item in group["rows"])
    names = {error["name"] for error in group["rows"][1]["errors"]}
    assert any(name.startswith("gradient of 0.weight") for name in names)
    # Dropout: Inductor's code draws other numbers, and that is no fault.
    assert group["rows"][1]["draws_random_numbers"]
    assert not group["rows"][1]["wrong"]
    assert any("random numbers" in notice for notice in report["notices"])
    assert any("restored before each" in notice for notice in report["notices"])


def test_many_inputs_with_their_first_and_their_cached_calls(tmp_path: Path) -> None:
    (tmp_path / "sizes.py").write_text(SIZES)
    done = bench(
        tmp_path, "sizes.py", "--vary", "x[0]=4,5,6,8", "--modes", "none", "--backends",
        "aot_eager", *SHORT, "--format", "json", "-o", "varied.md",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    jsonschema.validate(report, schema_of("bench"))
    found = {item["setting"]: item for item in report["varied"]}
    compiled = {label: [i["compiled"] for i in item["inputs"]] for label, item in found.items()}
    # Automatic: the second size compiles once more, dynamic; dynamic: once; static: each of four.
    assert compiled == {
        "eager": [0, 0, 0, 0],
        "aot_eager": [1, 1, 0, 0],
        "aot_eager + dynamic": [1, 0, 0, 0],
        "aot_eager + static": [1, 1, 1, 1],
    }
    (because,) = found["aot_eager"]["inputs"][1]["recompiled_because"]
    assert because == "x.size(0) changes"
    assert [item["label"] for item in found["eager"]["inputs"]] == [
        "x[0]=4", "x[0]=5", "x[0]=6", "x[0]=8"
    ]  # fmt: skip
    for item in found.values():
        assert item["one_call_of_each_ns"] == pytest.approx(
            sum(each["cached_call_ns"] for each in item["inputs"])
        )
    assert not any("restored before each" in notice for notice in report["notices"])
    text = (tmp_path / "varied.md").read_text()
    assert "again: `x.size(0)` changes" in text
    assert bench(tmp_path, "sizes.py", "--vary", "y[0]=1").returncode == 2


UNEVEN = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        if x.shape[1] == 6:
            raise ValueError("six is too many")
        y = self.linear(x)
        return torch.softmax(y.sum(1, keepdim=True) * y, 1), y.reshape(-1), x

model, example_inputs = Net(), (torch.randn(2, 4, 8),)
"""


def test_an_input_that_fails_is_named(tmp_path: Path) -> None:
    (tmp_path / "uneven.py").write_text(UNEVEN)
    done = bench(
        tmp_path, "uneven.py", "--vary", "x[1]=5,6,8", "--modes", "none", "--backends",
        "aot_eager", "--shapes", "static", *SHORT,
    )  # fmt: skip
    assert done.returncode == 3
    said = " ".join(done.stderr.split())
    assert "with x[1]=6, float32[2, 6, 8] without torch.compile (ValueError: six is too" in said
