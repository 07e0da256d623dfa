"""``inspect bench --warmup`` on a GPU: Triton kernels are in the artifact, graphs are not."""

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

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = schema_of("warmup")
MODEL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(64, 256), nn.Linear(256, 64)

    def forward(self, x):
        return torch.softmax(self.second(nn.functional.gelu(self.first(x))), -1)

torch.manual_seed(0)
model = Net().eval()
example_inputs = (torch.randn(128, 64),)
"""


def started(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module", params=["", "reduce-overhead"])
def report(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("warmup")
    (folder / "model.py").write_text(MODEL)
    modes = ("--modes", request.param) if request.param else ()
    done = started(
        folder, "-m", "inspector.cli", "bench", "model.py", "--warmup", "--device", "cuda",
        "--vary", "x[0]=64,128,256,1", *modes, "--save-warmup", "warm", "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    return {**found, "folder": str(folder)}


def start(report: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [item for item in report["starts"] if item["start"] == name]
    return dict(found)


def test_starts_that_know_the_kernels_miss_nothing(report: dict[str, Any]) -> None:
    assert report["device"] != "cpu"
    for name in ("directory", "artifact"):
        found = start(report, name)
        assert found["failure"] is None, found
        caches = {cache["cache"]: cache for cache in found["caches"]}
        for known in ("AOTAutograd", "FX graph"):
            assert caches[known]["hits"], (name, caches)
            assert not caches[known]["misses"], (name, caches)
    entries = start(report, "artifact")["artifact"]["entries"]
    assert entries["inductor"] > 0


def test_the_plan_is_checked_and_its_script_stands_alone(report: dict[str, Any]) -> None:
    check = report["check"]
    assert check["passed"], check
    assert check["loaded"]
    assert all(call["compiled"] == 0 for call in check["later"])
    done = started(Path(report["folder"]), "warm/warmup.py", "--check")
    assert done.returncode == 0, done.stderr
    assert "0 of them compiled" in done.stdout
