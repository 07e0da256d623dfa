"""How calls are measured on a GPU: in rounds, with CUDA graphs, streams and what fails."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
HEAD = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(256, 256) for _ in range(4))
        self.side = torch.cuda.Stream()
        self.calls = 0

"""
GRAPHED = """
    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x)) + x
        return x
"""
STREAMS = """
    def forward(self, x):
        return self.two(torch.relu(self.layers[0](x)))

    @torch.compiler.disable
    def two(self, x):
        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            a = torch.sin(x)
            b = a * 2
        c = torch.cos(x)
        d = c + 1
        torch.cuda.current_stream().wait_stream(self.side)
        return b + d
"""
FAILS = """
    def forward(self, x):
        return self.counted(torch.relu(self.layers[0](x)))

    @torch.compiler.disable
    def counted(self, x):
        self.calls += 1
        if self.calls >= 200:  # one call alone may be one without the compiler: a note
            FAIL
        return x + 1
"""
OUT_OF_MEMORY = 'torch.empty(1 << 50, device="cuda")'
# CUDA cannot be used any more behind it.
FAILED_KERNEL = 'torch._assert_async(torch.zeros((), device="cuda"))'
TAIL = """
model = Net().cuda()
example_inputs = (torch.randn(64, 256, device="cuda", requires_grad=True),)
"""


def profiled(
    folder: Path,
    body: str,
    *options: str,
    fails: bool = False,
    whole: bool = False,
    target: str = "model.py",
) -> dict[str, Any]:
    folder.mkdir(exist_ok=True)
    (folder / "model.py").write_text(body if whole else HEAD + body + TAIL)
    command = [sys.executable, "-m", "inspector.cli", "profile"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [*command, target, "--save", "kept", *options],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert bool(ran.returncode) is fails, ran.stderr
    shown = subprocess.run(
        [*command, "kept", "--format", "json"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(shown.stdout)
    return found


def test_eager_calls_in_between_keep_the_cuda_graphs(tmp_path: Path) -> None:
    report = profiled(tmp_path, GRAPHED, "--train", "--mode", "reduce-overhead")
    (profile,) = report["profiles"]
    assert profile["launches"] > 0
    launches = [launch for work in profile["work"] for launch in work["launches"]]
    assert sum(launch["cuda_graph"] for launch in launches) > len(launches) / 2
    # In every round: a graph that is captured again would take a thousand times as long.
    medians = [
        sorted(block["times_ns"])[len(block["times_ns"]) // 2]
        for block in profile["blocks"]
        if block["kind"] == "compiled"
    ]
    assert len(medians) >= 3
    assert max(medians) < 10 * min(medians)
    assert profile["attributed"] > 0.97


def test_training_has_no_loss_in_it_and_its_idle_time_adds_up(tmp_path: Path) -> None:
    (profile,) = profiled(tmp_path, GRAPHED, "--train")["profiles"]
    assert all(work["kind"] != "loss" for work in profile["work"])
    causes = profile["idle_by_cause_ns"]
    assert sum(causes.values()) == pytest.approx(profile["idle_ns"])
    assert {"autograd", "launching", "end"} <= causes.keys()
    assert causes.get("loss", 0) < 0.05 * profile["wall_ns"]
    # The same of eager calls; what is not idle is work, and so all of both times is divided.
    gap = profile["compiled_less_eager"]
    parts = {part["cause"]: part for part in gap["parts"]}
    # Eager PyTorch launches from the program's own code: one part, or the two do not compare.
    assert {"work", "autograd", "launches", "end"} <= parts.keys()
    assert not {"launching", "outside"} & parts.keys()
    assert parts["launches"]["eager_ns"] > 0
    assert all(parts[name]["eager_ns"] == 0 for name in {"guards", "wrappers"} & parts.keys())
    total = sum(part["more_ns"] for part in gap["parts"]) + gap["rest_ns"]
    assert total == pytest.approx(profile["wall_ns"] - profile["eager_ns"])


def test_calls_with_several_streams_are_not_left_out(tmp_path: Path) -> None:
    report = profiled(tmp_path, STREAMS, "--no-grad")
    (profile,) = report["profiles"]
    launches = [launch for work in profile["work"] for launch in work["launches"]]
    assert len({launch["stream"] for launch in launches}) == 2
    assert not any("left out" in notice for notice in report["notices"])
    assert profile["launches_unmatched"] == 0


@pytest.mark.parametrize(
    ("statement", "error"),
    [(OUT_OF_MEMORY, "OutOfMemoryError"), (FAILED_KERNEL, "device-side assert")],
    ids=["out_of_memory", "failed_kernel"],
)
def test_a_failure_half_way_shows_what_was_measured(
    tmp_path: Path, statement: str, error: str
) -> None:
    report = profiled(tmp_path, FAILS.replace("FAIL", statement), "--no-grad", fails=True)
    (profile,) = report["profiles"]
    assert error in profile["failed"]["error"]
    assert profile["wall_ns"] > 0
    assert any("measurements so far are shown" in notice for notice in report["notices"])


@pytest.mark.skipif(shutil.which("ncu") is None, reason="needs Nsight Compute")
def test_nsight_compute_counts_every_kernel(tmp_path: Path) -> None:
    # Inductor compiles the generated kernels in processes of its own: none of its targets.
    report = profiled(tmp_path, GRAPHED, "--no-grad", "--counters")
    (profile,) = report["profiles"]
    launches = [launch for work in profile["work"] for launch in work["launches"]]
    kernels = [launch for launch in launches if launch["kind"] == "kernel"]
    assert kernels
    assert all("gpu__time_duration.sum" in kernel["counters"] for kernel in kernels), report


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_each_of_several_gpus_has_its_work(tmp_path: Path) -> None:
    body = """
    def forward(self, x):
        x = torch.relu(self.layers[0](x))
        return (x.to("cuda:1") * 2).sin().to("cuda:0")
"""
    report = profiled(tmp_path, body, "--no-grad")
    (profile,) = report["profiles"]
    assert set(profile["busy_by_device_ns"]) == {"0", "1"}
    assert any("2 GPUs were used" in notice for notice in report["notices"])


FLEX = """
import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

def window(b, h, q, k):
    return (q >= k) & (q - k <= 512)

mask = create_block_mask(window, None, None, 2048, 2048, device="cuda")

def attend(q, k, v):
    o = flex_attention(q, k, v, block_mask=mask)
    return torch.nn.functional.gelu(o) * 0.5 + q

def get_inputs():
    shape = (4, 16, 2048, 64)
    return tuple(torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in range(3))
"""


def test_a_template_s_time_is_its_main_operator_s(tmp_path: Path) -> None:
    report = profiled(tmp_path, FLEX, "--no-grad", whole=True, target="model.py:attend")
    (profile,) = report["profiles"]
    assert list(profile["operators"]) == ["flex_attention"]
    (work,) = profile["work"]
    assert {"flex_attention", "gelu"} <= set(work["operators"])
    # 1, 2, 3, 4 and then 5 blocks of 128 keys in each of 16 rows of blocks, for 4 x 16 heads.
    assert work["flops"] == 2 * (70 * 128 * 128 * 64) * (64 + 64)
    assert (work["bound"], work["arithmetic"]) == ("compute", "bfloat16")
    print(f"{work['median_ns']} ns, {work['share_of_ceiling']:.0%} of the arithmetic")


BUSY = """
import time, torch
x = torch.randn(4096, 4096, device="cuda")
print("ready", flush=True)
end = time.time() + 300
while time.time() < end:
    for _ in range(20):
        x @ x
    torch.cuda.synchronize()
"""


@pytest.mark.alone
def test_another_program_on_the_gpu_is_noticed(tmp_path: Path) -> None:
    body = "    def forward(self, x):\n        return torch.relu(self.layers[0](x))\n"
    alone = profiled(tmp_path / "alone", body, "--no-grad")
    assert alone["profiles"][0]["device_state"]["others_percent"] in range(11)
    assert not any("another program used the GPU" in text for text in alone["notices"])
    command = [sys.executable, "-c", BUSY]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == "ready\n"
            beside = profiled(tmp_path / "beside", body, "--no-grad", "--fresh-ceilings")
        finally:
            other.kill()
    assert beside["profiles"][0]["device_state"]["others_percent"] > 50
    assert any("another program used the GPU" in text for text in beside["notices"])
    assert beside["ceilings"]["others_percent"] > 50
