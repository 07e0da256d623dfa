"""``inspect profile`` in each process of a job on several GPUs: NCCL's kernels are known."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
HEAD = """
import os
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as collectives
from torch import nn

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl", device_id=torch.device("cuda", torch.cuda.current_device()))

class Row(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(1024, 2048), nn.Linear(2048, 1024, bias=False)

    def forward(self, x):
        h = nn.functional.gelu(self.up(x))
        COLLECTIVE

torch.manual_seed(0)
model = nn.Sequential(Row(), Row()).cuda()
example_inputs = (torch.randn(512, 1024, device="cuda"),)
"""
PARTS = HEAD.replace(
    "COLLECTIVE", 'return x + collectives.all_reduce(self.down(h), "sum", dist.group.WORLD)'
)
COPIES = HEAD.replace("COLLECTIVE", "return x + self.down(h)") + (
    "model = nn.parallel.DistributedDataParallel(model, device_ids=[torch.cuda.current_device()])\n"
)
pytestmark = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")


def profiles(folder: Path, text: str, *options: str) -> list[dict[str, Any]]:
    (folder / "model.py").write_text(text)
    command = [sys.executable, "-m", "inspector.cli", "profile"]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
    ran = subprocess.run(
        [
            sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--no-python",
            *command, "model.py", *options, "--no-progress",
        ],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = []
    for recording in sorted((folder / ".inspector").glob("[0-9]*")):
        shown = subprocess.run(
            [*command, str(recording), "--format", "json"],
            cwd=folder, env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        found.append(json.loads(shown.stdout)["profiles"][0])
    assert len(found) == 2
    return found


def test_collectives_of_a_graph_lead_to_their_lines(tmp_path: Path) -> None:
    for profile in profiles(tmp_path, PARTS, "--no-grad"):
        waits = [work for work in profile["work"] if work["bound"] == "processes"]
        assert len(waits) == 2
        for work in waits:
            assert any(launch["name"].startswith("nccl") for launch in work["launches"])
            assert "all_reduce" in work["operators"]
            (line,) = work["lines"]
            assert "collectives.all_reduce" in PARTS.splitlines()[line["line"] - 1]
            assert work["share_of_ceiling"] is None
        assert profile["attributed"] > 0.97
        assert profile["launches_unmatched"] == 0


def test_gradients_that_are_exchanged_are_not_unknown(tmp_path: Path) -> None:
    for profile in profiles(tmp_path, COPIES, "--train"):
        waits = [work for work in profile["work"] if work["bound"] == "processes"]
        assert waits
        assert all(work["kind"] != "unknown" for work in waits)
        assert all(work["operators"] for work in waits)
