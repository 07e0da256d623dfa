"""Two ranks with planted divergences, each found with its cause; no rank waits for another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.compile.warm_python import INSPECT

pytestmark = pytest.mark.compile
ROOT = Path(__file__).resolve().parents[2]
# The process group "fake" sends nothing, so that ranks with other collectives do not hang.
PROGRAM = """
import os
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as collectives
from torch.testing._internal.distributed.fake_pg import FakeStore

rank = int(os.environ["RANK"])
dist.init_process_group("fake", store=FakeStore(), rank=rank, world_size=2)

@torch.compile
def ordered(x):
    if rank == 1:
        parts = collectives.all_gather_tensor(x, 0, dist.group.WORLD)
        return collectives.all_reduce(x, "sum", dist.group.WORLD).sum() + parts.sum()
    total = collectives.all_reduce(x, "sum", dist.group.WORLD)
    return collectives.all_gather_tensor(x, 0, dist.group.WORLD).sum() + total.sum()

@torch.compile(backend="eager")
def branched(x):
    if rank == 1:
        x = x * 2
    return x.sin()

@torch.compile(backend="eager")
def sized(x):
    return x.cos() + 1

@torch.compile(backend="eager")
def same(x):
    return torch.relu(x) - 1

for function in (ordered, branched, same):
    function(torch.ones(8, 4))
for size in (8, 8) if rank == 0 else (8, 10):
    sized(torch.ones(size, 4))
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("ranks")
    (folder / "job.py").write_text(PROGRAM)
    environment = {
        **os.environ,
        "TORCH_TRACE": str(folder / "logs"),
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "caches"),
    }
    processes = [
        subprocess.Popen([sys.executable, "job.py"], cwd=folder, env={**environment, "RANK": rank})
        for rank in ("0", "1")
    ]
    assert [process.wait() for process in processes] == [0, 0]
    done = subprocess.run(
        [*INSPECT, "ranks", "logs", "--format", "json"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_equal_compilations_have_no_difference(report: dict[str, Any]) -> None:
    rows = {row["name"]: row for row in report["compilations"] if not row["number"]}
    assert rows["same"]["differences"] == [] == rows["same"]["missing"]
    assert rows["sized"]["differences"] == [] == rows["sized"]["missing"]


@pytest.mark.parametrize(
    ("rule", "line", "why"),
    [
        ("rank-collectives", "def ordered(x):", "rank 0: all_reduce_, all_gather_into_tensor"),
        ("rank-graphs", "x = x * 2", "rank 1 is compiled for rank == 1"),
        ("rank-recompiles", "def sized(x):", "expected 8, actual 10"),
    ],
)
def test_a_divergence_is_found_with_its_cause(
    rule: str, line: str, why: str, report: dict[str, Any]
) -> None:
    lines = PROGRAM.splitlines()
    (finding,) = (
        finding
        for finding in report["findings"]
        if finding["rule"] == rule
        and line in "".join(lines[finding["line"] - 1 : finding["line"] + 1])
    )
    assert why in finding["why"]
