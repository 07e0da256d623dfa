"""``inspect`` in each process of a job: ranks that communicate are called equally often."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.compile.processes import INSPECT, ROOT, environment, finished, inspected

RANKS = 2
QUIET = subprocess.DEVNULL
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

# Its ranks do not wait long for each other, and the group is there before that counts.
ALONE = """
import os
import sys
import time
from datetime import timedelta
import torch
import torch.distributed as dist

where = {"init_method": os.environ.get("FILE", "env://")}
dist.init_process_group("gloo", **where, rank=int(os.environ["RANK"]), world_size=2)
store = dist.distributed_c10d._get_default_store()
store.set_timeout(timedelta(seconds=2))

def model(x):
    return torch.relu(x) + 1

example_inputs = (torch.randn(16, 32),)
"""
PLAIN = "\nif __name__ == '__main__':\n    time.sleep(100)\n"  # until the launcher ends it
COMMUNICATES = """
def model(x):
    y = torch.relu(x) + 1
    dist.all_reduce(y)
    return y
"""
ENDS = """
store.set_timeout(timedelta(seconds=60))
calls = 0

@torch.compiler.disable
def counted():
    global calls
    calls += 1
    store.set_timeout(timedelta(seconds=2))  # by now both ranks are there
    if dist.get_rank() == 0 and calls == 8:
        os._exit(1)

def model(x):
    counted()
    return torch.relu(x) + 1
"""


def profiles(folder: Path) -> list[dict[str, Any]]:
    reports = []
    for recording in sorted((folder / ".inspector").glob("[0-9]*")):
        shown = inspected("profile", str(recording), "--format", "json", folder=folder)
        reports.append(json.loads(shown.stdout))
    return reports


@pytest.mark.wild
def test_ranks_make_the_same_calls_and_wait_for_each_other(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    command = ["torchrun", "--nproc-per-node", str(RANKS), "--no-python", "inspect", "profile"]
    asked = "model.py", "--no-grad", "--no-progress", "--seconds", "0.5"
    done = finished([*command, *asked], tmp_path)
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
    assert "waits for other processes" in " ".join(shown.split())  # a line may end in between
    first_line = shown.splitlines()[0]
    assert "rank 0" in first_line or "rank 1" in first_line


def test_bench_is_no_part_of_a_job(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("model = abs\nexample_inputs = (1,)\n")
    command = ["torchrun", "--nproc-per-node", str(RANKS), "--no-python", "inspect", "bench"]
    done = finished([*command, "model.py"], tmp_path)
    assert done.returncode
    assert f"this is one of {RANKS}" in done.stderr
    assert "inspect profile" in done.stderr


def with_one_rank(rank: int, verb: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A job of which one rank alone runs under inspect, the other without."""
    inspect = f"exec inspect {verb} model.py --no-progress"
    script = f'if [ "$RANK" = {rank} ]; then {inspect}; else exec python model.py; fi'
    command = ["torchrun", "--nproc-per-node", str(RANKS), "--no-python", "sh", "-c", script]
    return finished(command, folder)


@pytest.mark.parametrize("rank", range(RANKS))
def test_a_profile_needs_all_ranks_and_says_which_is_missing(rank: int, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ALONE + COMMUNICATES + PLAIN)
    done = with_one_rank(rank, "profile", tmp_path)
    assert done.returncode
    assert f"error: Rank {1 - rank} of this job did not reach the first call in 2 s" in done.stderr
    assert f"torchrun --nproc-per-node {RANKS} --no-python inspect" in done.stderr
    assert "program failed" not in done.stdout
    assert not list((tmp_path / ".inspector").glob("[0-9]*"))  # nothing was compiled


def test_what_one_rank_compiled_is_explained_where_the_other_is_missing(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ALONE.replace("return", "print(1)\n    return") + PLAIN)
    done = with_one_rank(1, "explain", tmp_path)
    assert "it ended early: Rank 0 of this job did not reach the first call" in done.stdout
    assert "program failed" not in done.stdout
    report = json.loads(inspected("explain", "--format", "json", folder=tmp_path).stdout)
    assert report["summary"]["graphs"] == 1


def test_a_call_that_waits_for_a_missing_rank_is_no_failure_of_the_model(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ALONE + COMMUNICATES)  # the other rank is done at once
    done = with_one_rank(0, "explain", tmp_path)
    words = " ".join(done.stdout.split())
    assert "it ended early: model.py waited for another process in vain (RuntimeError: " in words
    assert "rank 1 of this job did not reach the first call: not run under" in words
    assert "without torch.compile" not in words


@pytest.mark.wild
def test_what_was_measured_until_the_first_rank_ended_is_kept(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ALONE + ENDS)
    # Without a launcher, which would end the second rank, and with a store that outlives the first.
    given = {"WORLD_SIZE": str(RANKS), "FILE": f"file://{tmp_path}/store"}
    command = [*INSPECT, "profile", "model.py", "--no-progress"]
    first, second = (environment(ROOT, RANK=rank, **given) for rank in "01")
    with subprocess.Popen(command, cwd=tmp_path, env=first, stdout=QUIET, stderr=QUIET) as ended:
        save = ["--save", str(tmp_path / "second")]
        done = finished([*command, *save], tmp_path, env=second)
    assert ended.returncode
    assert "the program failed: Another process of this job ended early" in done.stdout
    shown = inspected("profile", str(tmp_path / "second"), "--format", "json", folder=tmp_path)
    (profile,) = json.loads(shown.stdout)["profiles"]
    assert profile["failed"]["number"] == 0
    assert profile["failed"]["error"].startswith("Another process of this job ended")
    assert profile["calls"] > 0
