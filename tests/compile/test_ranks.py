"""``inspect`` in each process of a job: ranks that communicate are called equally often."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.compile.processes import finished, inspected

RANKS = 2
MODEL = """
import time
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as collectives
from torch import nn

dist.init_process_group("gloo")

class Row(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(32, 64), nn.Linear(64, 32)

    def forward(self, x):
        # The ranks do not agree on what is settled: one of them is slow, now and then.
        x = self.delayed(torch.relu(self.up(x)))
        return collectives.all_reduce(self.down(x), "sum", dist.group.WORLD)

    @torch.compiler.disable
    def delayed(self, x):
        self.calls = getattr(self, "calls", 0) + 1
        time.sleep(0.004 * dist.get_rank() * (self.calls % 3))
        return x

torch.manual_seed(0)
model = Row()
example_inputs = (torch.randn(16, 32),)
"""
LINE = 1 + MODEL.splitlines().index(
    '        return collectives.all_reduce(self.down(x), "sum", dist.group.WORLD)'
)


def profiles(folder: Path) -> list[dict[str, Any]]:
    reports = []
    for recording in sorted((folder / ".inspector").glob("[0-9]*")):
        shown = inspected("profile", str(recording), "--format", "json", folder=folder)
        reports.append(json.loads(shown.stdout))
    return reports


def test_ranks_make_the_same_calls_and_wait_for_each_other(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    command = ["torchrun", "--nproc-per-node", str(RANKS), "--no-python", "inspect", "profile"]
    done = finished([*command, "model.py", "--no-grad", "--no-progress"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Connection closed by peer" not in done.stdout

    found = profiles(tmp_path)
    assert len(found) == RANKS
    calls = []
    for report in found:
        (profile,) = report["profiles"]
        assert profile["failed"] is None
        calls.append([(b["kind"], len(b["times_ns"])) for b in profile["blocks"]])
        waits = [work for work in profile["work"] if work["bound"] == "processes"]
        assert {name for work in waits for name in work["operators"]} == {
            "all_reduce",
            "wait_tensor",
        }
        assert all(work["share_of_ceiling"] is None for work in waits)
        # What the collective changes in place is not its own.
        (product,) = (work for work in profile["work"] if "addmm" in work["operators"][0:1]
                      and any(line["line"] == LINE for line in work["lines"]))  # fmt: skip
        assert product["modules"] == ["down"]
        assert any("other processes" in gain["because"] for gain in profile["gains"])
    assert calls[0] == calls[1]
    shown = inspected("profile", ".inspector/1", folder=tmp_path).stdout
    assert "waits for other processes" in shown
    first_line = shown.splitlines()[0]
    assert "rank 0" in first_line or "rank 1" in first_line


def test_bench_is_no_part_of_a_job(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("model = abs\nexample_inputs = (1,)\n")
    command = ["torchrun", "--nproc-per-node", str(RANKS), "--no-python", "inspect", "bench"]
    done = finished([*command, "model.py"], tmp_path)
    assert done.returncode
    assert f"this is one of {RANKS}" in done.stderr
    assert "inspect profile" in done.stderr
