"""`inspect profile --kernel` on a GPU: a kernel is timed, and nothing changes."""

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
SCHEMA = schema_of("kernel-bench")
# A row of sums over many columns (a reduction with a loop), a running mean that is changed in
# place, a product, and a kernel of the program's own that is tuned by Inductor.
MODEL = """
import torch
import triton
import triton.language as tl
from torch import nn

@triton.autotune(configs=[triton.Config({"BLOCK": 256}, num_warps=4),
                          triton.Config({"BLOCK": 1024}, num_warps=8)], key=["numel"])
@triton.jit
def gated(values, gates, result, numel, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < numel
    value, gate = tl.load(values + places, mask), tl.load(gates + places, mask)
    tl.store(result + places, value * tl.sigmoid(gate), mask)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(1024, 1024)
        self.register_buffer("mean", torch.zeros(2048))

    def forward(self, x):
        y = self.linear(x)
        total = (y * y).sum(-1)
        self.mean.mul_(0.9).add_(total[:2048] * 0.1)
        result = torch.empty_like(y)
        numel = result.numel()
        gated[lambda meta: (triton.cdiv(numel, meta["BLOCK"]),)](y, x, result, numel)
        wide = result.reshape(64, -1)
        return wide.sum(-1), self.mean + total[:2048]

torch.manual_seed(0)
model = Net().cuda().requires_grad_(False)
example_inputs = (torch.randn(4096, 1024, device="cuda"),)
"""
# The same model, benchmarked in its own process: what it gives afterwards is what it gave before.
UNCHANGED = """
import sys
import torch
from inspector.capture import versions
from inspector.capture.kernel_bench import bench
from inspector.capture.kernel_bench.bench import IsolatedKernel
from inspector.capture.kernel_bench.kernels import called_kernels
from inspector.capture.calls.state import State
from model import example_inputs, model

said = []
bench.emit = said.append
mode = sys.argv[1] if len(sys.argv) > 1 else None
compiled = torch.compile(model, mode=mode)
state = State(model)

def prepared():
    state.restore()
    torch.compiler.cudagraph_mark_step_begin()
    given = tuple(item.clone() for item in example_inputs)
    return lambda: compiled(*given)

for _ in range(4):
    before = [item.clone() for item in prepared()()]
mean = model.mean.clone()
names = [name for name, kind in called_kernels().items() if kind == "triton"]
assert len(names) >= 3, names
for name in names:
    IsolatedKernel(name).measure(0, prepared)
after = [item.clone() for item in prepared()()]
assert all(map(torch.equal, before, after))
assert torch.equal(mean, model.mean)
assert [record.name for record in said] == names
for record in said:
    assert not record.missing, record
    assert any(argument.is_written for argument in record.arguments), record.name
    assert record.config.cold_ns, record.name
print("unchanged", len(said))
"""


def environment(folder: Path) -> dict[str, str]:
    paths = os.pathsep.join([str(ROOT), str(folder), os.environ.get("PYTHONPATH", "")])
    return {
        **os.environ,
        "PYTHONPATH": paths,
        "COLUMNS": "80",
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "caches"),
    }


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "unchanged.py").write_text(UNCHANGED)
    return tmp_path


def profiled(folder: Path, *arguments: str) -> dict[str, Any]:
    command = ("-m", "inspector.cli", "profile", *arguments, "--format", "json")
    found: dict[str, Any] = json.loads(run(folder, *command))
    jsonschema.validate(found, SCHEMA)
    return found


@pytest.mark.parametrize("mode", ["", "reduce-overhead"])
def test_a_reduction_is_timed_alone(folder: Path, mode: str) -> None:
    how = ("--mode", mode) if mode else ()
    report = profiled(folder, "model.py", "--no-grad", "--kernel", "triton_red", *how)
    assert report["missing"] is None, report["notices"]
    assert report["in_place"]["launches"] >= 1
    assert report["config"]["registers"] > 0
    # Alone it takes about what it takes in place: between warm and cold, or near to them.
    low, high = report["warm"]["median_ns"], report["cold"]["median_ns"]
    assert low <= high * 1.05
    assert 0.6 * low <= report["in_place"]["median_ns"] <= 1.6 * high
    assert {rate["regime"] for rate in report["rates"]} >= {"cold", "warm"}


def test_a_kernel_of_the_program_s_own_is_timed_alone(folder: Path) -> None:
    report = profiled(folder, "model.py", "--no-grad", "--kernel", "gated")
    assert report["kernel_kind"] == "user_triton"
    assert report["config"]["values"]["BLOCK"] in {256, 1024}
    assert [item["name"] for item in report["arguments"] if item["written"]] == ["result"]


def test_a_library_s_function_is_timed(folder: Path) -> None:
    report = profiled(folder, "model.py", "--no-grad", "--kernel", "mm")
    assert report["kernel_kind"] == "library"
    assert report["cold"]["median_ns"] > 0
    assert {rate["what"] for rate in report["rates"]} == {"bytes", "flops"}


@pytest.mark.parametrize("mode", ["", "reduce-overhead"])
def test_the_model_gives_the_same_afterwards(folder: Path, mode: str) -> None:
    assert "unchanged" in run(folder, "unchanged.py", *filter(None, [mode]))
