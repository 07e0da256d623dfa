"""``inspect bench --warmup`` on the CPU: three starts, a plan, and a script that stands alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from inspector.cli.schema import schema_of
from tests.compile.benches import bench, read_again

SCHEMA = schema_of("warmup")
MODEL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x, scale):
        return torch.relu(self.linear(x)) * scale

def get_model():
    torch.manual_seed(0)
    return Net().eval()

def get_inputs():
    return torch.randn(4, 8), 2.0
"""
BREAKS = """
import torch

def model(x):
    print("said by the model")
    return x + 1

example_inputs = (torch.ones(3),)
"""
VARIED = ("--vary", "x[0]=4,6,8,1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("warmup")
    (place / "model.py").write_text(MODEL)
    done = bench(
        place, "model.py", "--warmup", *VARIED, "--save", "kept.zip", "--save-warmup", "warm/up",
        "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (place / "report.json").write_text(done.stdout)
    return place


@pytest.fixture(scope="module")
def report(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return found


def test_the_starts_compile_what_they_do_not_know(report: dict[str, Any]) -> None:
    jsonschema.validate(report, SCHEMA)
    assert [item["label"] for item in report["inputs"]] == ["x[0]=4", "x[0]=6", "x[0]=8", "x[0]=1"]
    compiled = {
        item["start"]: [call["compiled"] for call in item["first_calls"]]
        for item in report["starts"]
    }
    # The profile of sizes spares the graph for 4 alone; a size of 1 has one of its own.
    assert compiled == {
        "eager": [0, 0, 0, 0],
        "cold": [1, 1, 0, 1],
        "directory": [1, 0, 0, 1],
        "artifact": [1, 0, 0, 1],
    }
    for item in report["starts"]:
        assert item["ready_ns"] == (
            item["load_ns"] + (item["artifact_ns"] or 0) + item["first_calls_ns"]
        )
    caches = {
        item["start"]: (cache["hits"], cache["misses"])
        for item in report["starts"]
        for cache in item["caches"]
        if cache["cache"] == "AOTAutograd"
    }
    assert caches == {"cold": (0, 3), "directory": (2, 0), "artifact": (2, 0)}
    entries = report["starts"][-1]["artifact"]["entries"]
    assert entries["aot_autograd"] == entries["inductor"]
    assert entries["pgo"] == 1


def test_the_plan_is_checked(report: dict[str, Any]) -> None:
    assert report["plan"] == [0, 3]
    assert report["plan_without_artifact"] == [0, 1, 3]
    check = report["check"]
    assert check["passed"]
    assert check["loaded"]
    assert [call["compiled"] for call in check["calls"]] == [1, 1]
    assert [call["compiled"] for call in check["later"]] == [0, 0, 0, 0]
    assert check["counters"] == {"hits": 2, "misses": 0, "bypasses": 0}


def test_a_recording_is_read_again_and_gives_the_same_files(
    folder: Path, report: dict[str, Any]
) -> None:
    done = read_again(folder, "kept.zip", "--format", "json", "--save-warmup", "warm/again")
    assert done.returncode == 0, done.stderr
    again = json.loads(done.stdout)
    again.pop("recording")
    assert again == {key: value for key, value in report.items() if key != "recording"}
    for name in ("warmup.py", "cache.bin", "inputs.pt"):
        before, now = folder / "warm" / "up" / name, folder / "warm" / "again" / name
        assert now.read_bytes() == before.read_bytes()


@pytest.mark.parametrize(
    ("is_damaged", "is_short", "said"),
    [
        (False, False, ["called x[0]=4", "0 of them compiled"]),
        (True, False, ["torch cannot read cache.bin", "called x[0]=6"]),
        (False, True, ["1 of them compiled"]),
    ],
)
def test_the_script_needs_nothing_but_torch(
    folder: Path, tmp_path: Path, *, is_damaged: bool, is_short: bool, said: list[str]
) -> None:
    """With another backend, which compiles quickly; an artifact that is there has the sizes."""
    place = tmp_path / "warm" / "up"
    (tmp_path / "model.py").write_text(MODEL)
    shutil.copytree(folder / "warm" / "up", place)
    text = (place / "warmup.py").read_text().replace('"inductor"', '"aot_eager"')
    if is_short:
        text = text.replace('PLAN = [\n    "x[0]=4",\n    "x[0]=1",\n]', 'PLAN = ["x[0]=4"]')
    (place / "warmup.py").write_text(text)
    if is_damaged:
        (place / "cache.bin").write_bytes((place / "cache.bin").read_bytes()[:1000])
    (place / "inspector.py").write_text("raise ImportError('not to be imported')\n")
    done = subprocess.run(
        [sys.executable, str(place / "warmup.py"), "--check"],
        cwd=tmp_path,
        env={
            **os.environ,
            "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "caches"),
            "PYTHONPATH": str(place),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == int(is_short), done.stderr
    assert all(line in done.stdout for line in said)
    assert ("called x[0]=6" in done.stdout) is is_damaged


def test_a_model_that_does_not_compile_has_no_start(folder: Path) -> None:
    (folder / "breaks.py").write_text(BREAKS)
    done = bench(folder, "breaks.py", "--warmup", "--backends", "aot_eager", "--fullgraph")
    assert done.returncode == 3
    said = " ".join(done.stdout.split())
    assert "there is no start to warm up" in said
    assert "cold: It fails when it is compiled" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("model.py", "--warmup", "--modes", "all"), "--warmup takes one setting"),
        (("model.py", "--warmup", "--train"), "--train does not apply to --warmup"),
        (("model.py", "--warmup", "--vary", "y[0]=1"), "there is no argument 'y'"),
        (("kept.zip", "--warmup", "--batch", "4"), "not apply to a recording"),
    ],
)
def test_wrong_use_is_said(folder: Path, arguments: tuple[str, ...], said: str) -> None:
    run_it = bench if "--vary" in arguments else read_again
    done = run_it(folder, *arguments, "--no-progress")
    assert done.returncode == 2
    assert said in " ".join((done.stdout + done.stderr).split())


FAILS = """
import torch

def model(x):
    if x.shape == (8, 6):
        raise ValueError("eight times six")
    return x.relu()

example_inputs = (torch.ones(2, 5),)
"""


def test_batches_of_what_varies_are_named_by_both(tmp_path: Path) -> None:
    (tmp_path / "fails.py").write_text(FAILS)
    varied = ("--vary", "x[1]=5,6", "--batch", "2,8")
    done = bench(tmp_path, "fails.py", "--warmup", *varied, "--seconds", "0.5")
    assert done.returncode == 3
    said = " ".join(done.stderr.split())
    assert "called with x[1]=6, batch 8, float32[8, 6] without torch.compile" in said
