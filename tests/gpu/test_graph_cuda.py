"""`inspect graph` on a GPU: what is fused is what Inductor does when nothing is watched."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PYTHONPATH = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
MODEL = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width=256):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        y = self.down(nn.functional.gelu(self.up(self.norm(x))))
        return torch.softmax(x + y, -1)

model = Block().cuda()
example_inputs = (torch.randn(64, 256, device="cuda"),)
"""
# What a program without this tool generates: torch's own counter of kernels, and its code.
PLAIN = """
import torch
from torch._inductor.utils import run_and_get_code
from model import example_inputs, model

_, codes = run_and_get_code(lambda: torch.compile(model)(*example_inputs).sum().backward())
print("\\n".join(codes))
"""


def inspected(folder: Path, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "inspector.cli", *arguments, "--format", "json"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def kernels(report: dict[str, Any]) -> list[list[str]]:
    return [
        [step["name"] for step in fusion["kernels"] if step["name"].startswith("triton_")]
        for fusion in report["fusions"]
    ]


def test_the_kernels_are_those_of_a_program_that_nobody_watches(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "plain.py").write_text(PLAIN)
    plain = subprocess.run(
        [sys.executable, "plain.py"],
        cwd=tmp_path,
        env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    report = inspected(tmp_path, "graph", "model.py", "--train")
    drawn = [name for names in kernels(report) for name in names]

    assert [fusion["direction"] for fusion in report["fusions"]] == ["forward", "backward"]
    assert drawn == re.findall(r"^    +(\w+)\.run\(", plain, re.MULTILINE)
    buffers = [buffer for fusion in report["fusions"] for buffer in fusion["buffers"]]
    assert {buffer["device"] for buffer in buffers} - {""} == {"cuda:0"}


def test_it_is_the_same_as_for_this_gpu_where_it_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "cpu.py").write_text(MODEL.replace(".cuda()", "").replace(', device="cuda"', ""))
    here = inspected(tmp_path, "graph", "model.py", "--train")
    there = inspected(tmp_path, "graph", "cpu.py", "--train", "--gpu", "h200")

    assert kernels(here) == kernels(there)
    assert [fusion["bytes"] for fusion in here["fusions"]] == [
        fusion["bytes"] for fusion in there["fusions"]
    ]
