"""What autotuning tries on the CPU: C++ templates against a library, and what the report says."""

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
from inspector.records.autotuning import Autotuned
from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run
from tests.compile.gpu_kernels import ROOT, inspected

SCHEMA = schema_of("profile")
CHILD = Path(__file__).with_name("autotune_child.py")
MODEL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(64, 128)

    def forward(self, x):
        return torch.relu(self.linear(x))

model = Net()
example_inputs = (torch.randn(64, 64),)
"""


def compiled(folder: Path, *recordings: str) -> list[str]:
    """The code of the child's product, each with what those before it left in the caches."""
    # The graph itself is compiled in each of them.
    caches = {"TORCHINDUCTOR_FX_GRAPH_CACHE": "0", "TORCHINDUCTOR_AUTOGRAD_CACHE": "0"}
    subprocess.run(
        [sys.executable, str(CHILD), *recordings],
        cwd=folder,
        env={**os.environ, **caches, "PYTHONPATH": str(ROOT),
             "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache")},
        check=True,
    )  # fmt: skip
    return [(folder / str(number)).read_text("utf-8") for number in range(len(recordings))]


def recorded(folder: Path) -> Run:
    with opened(folder) as recording:
        return read_run(recording)


def test_what_is_tried_is_recorded_and_is_what_is_taken(tmp_path: Path) -> None:
    """The first process times candidates, the others have the times from the cache."""
    _, unwatched, watched = compiled(tmp_path, "first", "", "second")
    assert "def call" in unwatched
    assert watched == unwatched

    (first,) = recorded(tmp_path / "first").processes
    (second,) = recorded(tmp_path / "second").processes
    assert not first.problems
    assert not second.problems
    (measured,), (cached,) = first.records(Autotuned), second.records(Autotuned)
    assert (measured.name, measured.node, measured.compile_id) == ("bmm", "bmm", "0/0")
    assert [item.shape for item in measured.inputs] == [(4, 32, 64), (4, 64, 32)]
    kinds = {item.kind for item in measured.candidates}
    assert kinds == {"extern", "cpp"}
    times = dict(enumerate(item.time_ns or 0 for item in measured.candidates))
    assert measured.chosen == min(times, key=times.__getitem__)
    assert measured.default is not None
    assert measured.candidates[measured.default].kind == "extern"
    assert all(item.spent_ns for item in measured.candidates)
    assert measured.benchmark_ns > sum(times.values())

    assert (measured.how, cached.how) == ("measured", "cached")
    assert cached.benchmark_ns == 0
    assert cached.chosen == measured.chosen
    assert [item.time_ns for item in cached.candidates] == list(times.values())


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory, machine: Path) -> Path:
    folder = tmp_path_factory.mktemp("autotuning")
    (folder / "model.py").write_text(MODEL)
    asked = "--no-grad", "--mode", "max-autotune", "--save", "kept", "--seconds", "0.2"
    profiled(folder, "model.py", *asked, machine=machine)
    return folder


def profiled(folder: Path, *arguments: str, machine: Path | None = None) -> str:
    # Linear layers have C++ templates where their weights are constants.
    environment = {"XDG_CACHE_HOME": str(machine or folder), "TORCHINDUCTOR_FREEZING": "1"}
    done = inspected(folder, "profile", *arguments, COLUMNS="80", **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_report_has_each_operation_with_its_line(recording: Path) -> None:
    report: dict[str, Any] = json.loads(profiled(recording, "kept", "--format", "json"))
    jsonschema.validate(report, SCHEMA)
    tuning = report["autotuning"]
    (row,) = tuning["tuned"]
    assert row["name"] == "packed_linear"
    texts = MODEL.split("\n")
    number = next(n for n, text in enumerate(texts, 1) if "self.linear(x)" in text)
    assert number in {line["line"] for line in row["lines"]}
    assert (row["how"], row["places"], row["launches"]) == ("measured", 1, 1)
    assert {item["kind"] for item in row["candidates"]} == {"extern", "cpp"}
    assert row["in_place_ns"] > 0
    assert row["margin"] >= 0
    # Torch's own spans are a little longer, for they hold ours.
    assert 0.8 * row["spent_ns"] < tuning["spent_ns"] < 1.5 * row["spent_ns"]
    assert tuning["spent_ns"] < tuning["compile_time_ns"]
