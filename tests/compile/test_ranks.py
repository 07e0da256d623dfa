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
import torch._inductor.debug
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

@torch.compile(backend="eager")
def typed(x):
    return x.tan() - 1

@torch.compile(dynamic=True)
def early(x):
    return x.sin() + 1

@torch.compile(dynamic=True)
def late(x):
    return x.cos() - 1

torch._inductor.config.log_tlparse = True
with torch._inductor.debug.record_and_log_graph_execution_order():
    for function in (early, late) if rank == 0 else (late, early):
        function(torch.ones(32 + 32 * rank, 4))
for function in (ordered, branched, same):
    function(torch.ones(8, 4))
for size in (8, 8) if rank == 0 else (8, 10):
    sized(torch.ones(size, 4))
with torch.set_grad_enabled(rank == 0):
    typed(torch.ones(8, 4 + 4 * rank))
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("ranks")
    (folder / "job.py").write_text(PROGRAM)
    environment = {**os.environ, "TORCH_TRACE": str(folder / "logs")}
    processes = [
        subprocess.Popen(
            [sys.executable, "job.py"],
            cwd=folder,
            env={**environment, "RANK": rank, "TORCHINDUCTOR_CACHE_DIR": str(folder / rank)},
        )
        for rank in ("0", "1")  # a graph from a cache logs no operators
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


def test_calls_of_graphs_are_compared_by_function(report: dict[str, Any]) -> None:
    assert report["other_order"] == {
        "call": 0,
        "groups": [[0], [1]],
        "functions": ["early", "late"],
    }
    (row,) = [row for row in report["compilations"] if row["name"] == "early"]
    assert [item["compile_id"] for item in row["compilations"]] == ["0/0", "1/0"]
    assert all(item["run_ns"] is not None for item in row["compilations"])
    (difference,) = [item for item in row["differences"] if item["aspect"] == "size hints"]
    assert ["[32, 4]" in difference["shown"][0], "[64, 4]" in difference["shown"][1]] == [True] * 2


@pytest.mark.parametrize(
    ("rule", "line", "why"),
    [
        ("rank-order", "def early(x):", "rank 0 calls early; rank 1 calls late"),
        ("rank-collectives", "def ordered(x):", "rank 0: all_reduce_, all_gather_into_tensor"),
        ("rank-graphs", "x = x * 2", "rank 1 is specialized on rank == 1"),
        ("rank-graphs", "def typed(x):", "grad_mode=True, x: size=[8, 4]"),
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
