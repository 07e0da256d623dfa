"""`inspect explain` of a model on a GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PYTHONPATH = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
MODEL = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(64, 64)

    def forward(self, x):
        x = torch.relu(self.linear(x))
        if x.sum() > 0:
            x = x * 2
        return torch.softmax(x, -1)

model = Net().cuda()
example_inputs = (torch.randn(8, 64, device="cuda"),)
"""


def explained(folder: Path, *options: str) -> dict[str, Any]:
    (folder / "model.py").write_text(MODEL)
    command = [sys.executable, "-m", "inspector.cli", "explain", "model.py", *options]
    done = subprocess.run(
        [*command, "--format", "json"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_a_break_on_the_gpu_has_its_place_and_the_gpu_is_recorded(tmp_path: Path) -> None:
    report = explained(tmp_path)

    (finding,) = report["findings"]
    assert (finding["line"], finding["column"], finding["gb_id"]) == (11, 11, "GB0170")
    assert report["summary"]["graphs"] == 2
    assert "NVIDIA" in json.dumps(report["environment"])


def test_the_counts_are_those_of_the_cpu_and_of_inductor(tmp_path: Path) -> None:
    gpu, cpu, inductor = (
        explained(tmp_path, *options)["summary"]
        for options in ((), ("--device", "cpu"), ("--backend", "inductor", "--train"))
    )
    counted = ("frames", "graphs", "operators", "graph_breaks", "distinct_graph_breaks")

    assert [gpu[name] for name in counted] == [cpu[name] for name in counted]
    assert [gpu[name] for name in counted] == [inductor[name] for name in counted]
    assert {"loading kernels", "Triton compilation"} & inductor["compile_time_by_stage_ns"].keys()
