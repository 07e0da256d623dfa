"""What autotuning tries on a GPU: templates, configurations, and the program's own kernels."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from torch._inductor.runtime import autotune_cache

from inspector.cli.schema import schema_of
from inspector.features.profile.autotuned import Autotuning, make_autotuning
from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = schema_of("profile")
PYTHONPATH = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
MODEL = """
import torch
import triton
import triton.language as tl
from torch import nn

CONFIGS = [triton.Config({"BLOCK": size}, num_warps=warps) for size, warps in ((256, 4), (1024, 8))]

@triton.autotune(configs=CONFIGS, key=["n"])
@triton.jit
def doubled(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)

@triton.autotune(configs=CONFIGS, key=["n"])
@triton.jit
def halved(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) / 2, mask=at < n)

def called(kernel, x):
    out = torch.empty_like(x)
    n = x.numel()
    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
    return out

@torch.compiler.disable
def outside(x):
    return called(halved, x)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(1024, 4096, dtype=torch.bfloat16)

    def forward(self, x):
        y = torch.relu(self.linear(x))
        y = called(doubled, y)
        y = torch.softmax(y.float() + y.float().sum(0), -1)
        return outside(y)

model = Net().cuda()
example_inputs = (torch.randn(2048, 1024, device="cuda", dtype=torch.bfloat16),)
"""
# A program of its own, whose caches stay: `FOLDER` is empty where nobody watches.
CHILD = """
import sys
from pathlib import Path
import torch
from torch._inductor.utils import run_and_get_code

def reduced(x, y):
    z = torch.relu(x @ y)
    return torch.softmax(z.float() + z.float().sum(0), -1)

attachment = None
if sys.argv[1]:
    from inspector.capture.recording.handler import attach
    attachment = attach(Path(sys.argv[1]), None)
    attachment.handler.watch_autotuning()
x = torch.ones(2048, 1024, device="cuda", dtype=torch.bfloat16)
y = torch.ones(1024, 4096, device="cuda", dtype=torch.bfloat16)
compiled = torch.compile(reduced, mode="max-autotune-no-cudagraphs")
_, codes = run_and_get_code(compiled, x, y)
compiled(x, y)
if attachment is not None:
    attachment.handler.remove(attachment.log)
print("\\n".join(codes))
"""


def inspected(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "inspector.cli", "profile", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": PYTHONPATH, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("autotune")
    (folder / "model.py").write_text(MODEL)
    inspected(
        folder, "model.py", "--no-grad", "--mode", "max-autotune-no-cudagraphs", "--save", "kept"
    )
    return folder


@pytest.fixture(scope="module")
def rows(recording: Path) -> list[dict[str, Any]]:
    report = json.loads(inspected(recording, "kept", "--format", "json"))
    jsonschema.validate(report, SCHEMA)
    tuning = report["autotuning"]
    assert 0 < tuning["spent_ns"] < tuning["compile_time_ns"]
    assert tuning["outside_ns"] > 0
    found: list[dict[str, Any]] = tuning["tuned"]
    return found


def line_of(part: str) -> int:
    return next(n for n, text in enumerate(MODEL.split("\n"), 1) if part in text)


def test_templates_are_tried_against_the_library(rows: list[dict[str, Any]]) -> None:
    (row,) = [row for row in rows if row["kind"] == "template"]
    assert row["name"] in {"addmm", "mm"}
    assert row["how"] == "measured"
    kinds = [item["kind"] for item in row["candidates"]]
    assert {"extern", "triton"} <= set(kinds)
    assert kinds.count("triton") >= 5
    assert row["candidates"][row["default"]]["kind"] == "extern"
    assert row["candidates"][row["chosen"]]["time_ns"] > 0
    # Decided alone, the fastest is taken; decided with the ReLU, another may be.
    assert row["margin"] is not None
    assert row["launches"] == 1
    # One kernel alone against the same one in place, with what is fused into it.
    times = row["candidates"][row["chosen"]]["time_ns"], row["in_place_ns"]
    assert 1 / 3 < times[0] / times[1] < 3
    assert line_of("self.linear(x)") in {line["line"] for line in row["lines"]}


def test_configurations_of_reductions_are_tried(rows: list[dict[str, Any]]) -> None:
    # Kernels that are only timed, to decide what to fuse, are called `triton_`.
    found = [row for row in rows if row["kind"] == "triton" and row["name"] != "triton_"]
    assert any("reduction" in row["heuristic"] for row in found)
    for row in found:
        assert row["how"] == "measured", row
        assert len(row["candidates"]) > 1
        tried = enumerate(row["candidates"])
        timed = {at: item["time_ns"] for at, item in tried if item["time_ns"]}
        # Coordinate descent goes on where something is faster by more than 0.1 %. What it begins
        # with it may not time again.
        is_begun_with = row["chosen"] == row["default"] and row["chosen"] not in timed
        assert is_begun_with or timed[row["chosen"]] <= 1.01 * min(timed.values())
        assert all(item["registers"] for item in row["candidates"] if item["time_ns"])
        assert row["launches"] >= 1, row["name"]
        assert row["lines"], row["name"]


def test_the_programs_own_kernels_are_there_within_graphs_and_outside(
    rows: list[dict[str, Any]],
) -> None:
    own = {row["name"].rpartition("_")[0] or row["name"]: row for row in rows
           if row["kind"] == "user"}  # fmt: skip
    assert own.keys() == {"doubled", "halved"}
    within, outside = own["doubled"], own["halved"]
    assert (within["outside_of_graphs"], within["compile_id"]) == (False, "0/0")
    assert outside["outside_of_graphs"]
    assert outside["file"].endswith("model.py")
    for row in (within, outside):
        assert row["how"] == "measured"
        assert len(row["candidates"]) == 2
        assert not any(item["failed"] for item in row["candidates"])
        assert row["launches"] == 1
    assert all(item["time_ns"] for item in outside["candidates"])


def child(folder: Path, name: str, **environment: str) -> str:
    (folder / "child.py").write_text(CHILD)
    # The graph itself is compiled in each process.
    caches = {"TORCHINDUCTOR_FX_GRAPH_CACHE": "0", "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
              "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache")}  # fmt: skip
    return subprocess.run(
        [sys.executable, "child.py", name],
        cwd=folder,
        env={**os.environ, **caches, "PYTHONPATH": PYTHONPATH, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def tuning(folder: Path) -> Autotuning:
    run: Run
    with opened(folder) as recording:
        run = read_run(recording)
    assert not [problem for process in run.processes for problem in process.problems]
    found = make_autotuning(run.processes, ())
    assert found is not None
    return found


def test_a_second_process_has_it_from_the_cache_and_generates_the_same(tmp_path: Path) -> None:
    child(tmp_path, "first")
    unwatched = child(tmp_path, "")
    watched = child(tmp_path, "second")
    assert watched == unwatched

    first, second = tuning(tmp_path / "first"), tuning(tmp_path / "second")
    before = {
        item.first.kind: item.first.how for item in first.tuned if item.first.name != "triton_"
    }
    assert before == {"template": "measured", "triton": "measured"}
    assert {item.first.how for item in second.tuned if item.first.kind == "template"} == {"cached"}
    assert second.cached >= 1
    # To a reduction that needs many registers torch adds a configuration with a smaller block
    # (`CachingAutotuner._dynamic_scale_rblock`). In torch 2.11 the cache gives back only what is
    # among the listed ones (`_load_cached_autotuning` in runtime/autotune_cache.py), and beside a
    # choice that it gives back a smaller one is added again: either way there are several, and
    # they are measured. Torch 2.13 makes the choice anew, and adds nothing.
    again = [
        item
        for item in second.tuned
        if item.first.how == "measured" and item.first.name != "triton_"
    ]
    assert all(len(item.first.candidates) > 1 for item in again)
    if hasattr(autotune_cache, "_reconstruct_triton_config"):
        assert not again
