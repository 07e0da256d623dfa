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


def run(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**environment, "COLUMNS": "80", **more},
        capture_output=True,
        text=True,
        check=False,
    )


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


def start(report: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [item for item in report["starts"] if item["start"] == name]
    return dict(found)


def test_the_report_follows_its_schema(report: dict[str, Any]) -> None:
    jsonschema.validate(report, SCHEMA)
    assert [item["label"] for item in report["inputs"]] == ["x[0]=4", "x[0]=6", "x[0]=8", "x[0]=1"]


def test_the_starts_compile_what_they_do_not_know(report: dict[str, Any]) -> None:
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


def test_what_the_caches_had_is_counted(report: dict[str, Any]) -> None:
    def graphs(name: str) -> tuple[int, int]:
        (found,) = [
            item for item in start(report, name)["caches"] if item["cache"] == "AOTAutograd"
        ]
        return found["hits"], found["misses"]

    assert graphs("cold") == (0, 3)
    assert graphs("directory") == (2, 0)
    assert graphs("artifact") == (2, 0)
    entries = start(report, "artifact")["artifact"]["entries"]
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
    text = read_again(folder, "kept.zip").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "checked in a fresh process" in " ".join(text.split())
    assert read_again(folder, "kept.zip", "-o", "warm.md").returncode == 0
    assert "## The plan: 2 calls" in (folder / "warm.md").read_text()


def script(folder: Path, *changes: tuple[str, str]) -> Path:
    """The script with another backend, which compiles quickly, and other changes."""
    text = (folder / "warm" / "up" / "warmup.py").read_text()
    backend = ('"backend": "inductor"', '"backend": "aot_eager"')
    for before, now in (backend, *changes):
        assert text.count(before) == 1
        text = text.replace(before, now)
    place = folder / "warm" / "changed"
    shutil.copytree(folder / "warm" / "up", place, dirs_exist_ok=True)
    (place / "warmup.py").write_text(text)
    return place


def test_the_script_needs_nothing_but_torch(folder: Path, tmp_path: Path) -> None:
    place = script(folder)
    (tmp_path / "inspector.py").write_text("raise ImportError('not to be imported')\n")
    caches = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "caches"), "PYTHONPATH": str(tmp_path)}
    done = run(tmp_path, str(place / "warmup.py"), "--check", **caches)
    assert done.returncode == 0, done.stderr
    assert "called x[0]=4" in done.stdout
    assert "called x[0]=6" not in done.stdout  # the profile came with the artifact
    assert "0 of them compiled" in done.stdout


def test_a_damaged_artifact_is_said_and_more_is_called(folder: Path, tmp_path: Path) -> None:
    place = script(folder)
    whole = (folder / "warm" / "up" / "cache.bin").read_bytes()
    (place / "cache.bin").write_bytes(whole[: len(whole) // 2])
    caches = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "caches")}
    done = run(tmp_path, str(place / "warmup.py"), "--check", **caches)
    assert done.returncode == 0, done.stderr
    assert "torch cannot read cache.bin" in done.stdout
    assert "called x[0]=6" in done.stdout


def test_a_plan_that_is_too_short_fails_its_check(folder: Path, tmp_path: Path) -> None:
    shorter = ('PLAN = [\n    "x[0]=4",\n    "x[0]=1",\n]', 'PLAN = ["x[0]=4"]')
    place = script(folder, shorter)
    caches = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "caches")}
    done = run(tmp_path, str(place / "warmup.py"), "--check", **caches)
    assert done.returncode == 1
    assert "1 of them compiled" in done.stdout


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
        (("model.py", "--warmup", "--modes", "all"), "--warmup starts one setting"),
        (("model.py", "--warmup", "--train"), "--train has no meaning for --warmup"),
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
