"""``inspect bench`` on a GPU: what only a GPU has."""

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
from tests.perturbed_backend import PERTURBED

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = schema_of("bench")
CLASSES = 8
MODEL = f"""{PERTURBED}
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(64, 256), nn.Linear(256, {CLASSES})

    def forward(self, x):
        return torch.softmax(self.second(nn.functional.gelu(self.first(x))), -1)

model = Net()
example_inputs = (torch.randn(128, 64),)
"""


def rows(folder: Path, *arguments: str, text: str = MODEL) -> dict[str, dict[str, Any]]:
    (folder / "net.py").write_text(text)
    done = subprocess.run(
        [
            sys.executable, "-m", "inspector.cli", "bench", "net.py", "--device", "cuda",
            "--sessions", "1", "--seconds", "2", "--format", "json", *arguments,
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    jsonschema.validate(report, SCHEMA)
    assert report["device"] != "cpu"
    return {
        f"{group['workload']['batch']} {row['label']}": row
        for group in report["groups"]
        for row in group["rows"]
    }


@pytest.fixture(scope="module")
def inference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("inference")
    return rows(folder, "--backends", "perturbed", "--modes", "default,reduce-overhead",
                "--batch", "16,128")  # fmt: skip


def test_every_row_has_times_and_how_busy_the_gpu_is(inference: dict[str, dict[str, Any]]) -> None:
    assert len(inference) == 2 * 4
    for row in inference.values():
        assert row["latency_ns"] > 0
        assert row["items_per_s"] > 0
        assert 0 < row["gpu_busy"] <= 1
        assert row["gpu_launches"] > 0
    # A CUDA graph's kernels count each, and the host no longer makes the GPU wait.
    graphs, plain = inference["128 reduce-overhead"], inference["128 default"]
    assert graphs["gpu_launches"] >= plain["gpu_launches"]
    assert graphs["gpu_busy"] > plain["gpu_busy"]


def test_cuda_graphs_have_memory_of_their_own(inference: dict[str, dict[str, Any]]) -> None:
    assert inference["128 reduce-overhead"]["memory_bytes"]["pools"] > 0
    assert not inference["128 default"]["memory_bytes"].get("pools")
    assert inference["128 eager"]["memory_bytes"]["peak_allocated"] > 0


SCALED = """
import torch

class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(()))

    def forward(self, x):
        return x * self.scale

model = Scaled()
example_inputs = (torch.randn(4, 1024, 1024),)
"""


def test_memory_is_that_of_a_call_without_the_copies_that_are_kept_for_it(tmp_path: Path) -> None:
    tensor_bytes, little = 4 * 4 * 1024 * 1024, 1 << 20
    found = rows(tmp_path, "--modes", "default", "--seconds", "0.5", text=SCALED)
    for row in found.values():
        memory = row["memory_bytes"]
        assert tensor_bytes <= memory["base"] < tensor_bytes + little  # what the call gets
        assert tensor_bytes <= memory["peak_allocated"] - memory["base"] < tensor_bytes + little


def test_a_wrong_result_is_found(inference: dict[str, dict[str, Any]]) -> None:
    assert inference["128 perturbed"]["wrong"]
    assert not inference["128 default"]["wrong"]
    assert not inference["128 reduce-overhead"]["wrong"]


def test_a_compiled_optimizer_runs_with_cuda_graphs(tmp_path: Path) -> None:
    found = rows(tmp_path, "--train", "--optimizer", "AdamW", "--modes", "reduce-overhead")
    assert list(found) == [
        "None eager", "None reduce-overhead", "None reduce-overhead + optimizer compiled"
    ]  # fmt: skip
    for row in found.values():
        assert row["latency_ns"] > 0, row["failure"]
        assert not row["wrong"]


HOLDS = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.held = None

    def forward(self, x):
        self.hold(x.device)
        return self.layer(x).sin()

    @torch.compiler.disable
    def hold(self, device):
        if self.held is None:
            wanted = int(SHARE * torch.cuda.get_device_properties(device).total_memory)
            self.held = torch.empty(wanted, dtype=torch.uint8, device=device)

model = Net()
example_inputs = (torch.randn(2, 8),)
"""


@pytest.mark.alone
@pytest.mark.parametrize(("share", "is_alone"), [(0.3, False), (0.4, True), (0.6, True)])
def test_what_does_not_fit_beside_others_is_measured_all_the_same(
    share: float,
    is_alone: bool,  # noqa: FBT001
    tmp_path: Path,
) -> None:
    found = rows(
        tmp_path, "--modes", "none", "--backends", "aot_eager,eager", "--save", "kept",
        text=HOLDS.replace("SHARE", str(share)),
    )  # fmt: skip
    assert len(found) == 3
    for row in found.values():
        assert row["failure"] is None
        assert row["latency_ns"] > 0
    ends = json.loads((tmp_path / "kept" / "bench.json").read_text())["ends"]
    assert any(end.get("is_alone", False) for end in ends) is is_alone


@pytest.mark.alone
def test_weights_that_fill_the_memory_are_loaded_one_after_the_other(tmp_path: Path) -> None:
    # Where there are cores for it, all processes load the model at the same time.
    text = HOLDS.replace("SHARE", "0.4").replace(
        "model = Net()", 'model = Net().cuda()\nmodel.hold(torch.device("cuda"))'
    )
    found = rows(tmp_path, "--modes", "none", "--backends", "aot_eager,eager", text=text)
    assert len(found) == 3
    for row in found.values():
        assert row["failure"] is None
        assert row["latency_ns"] > 0
