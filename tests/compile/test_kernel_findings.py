"""What is found in kernels for a GPU that is not here, and whether what is advised mends it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from tests.compile.gpu_kernels import kernels_for

pytestmark = [
    pytest.mark.compile,
    pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="needs Triton"),
]
MODEL = """
import torch
import triton
from triton import language as tl

torch._inductor.config.split_reductions = False


def place(x):
    rows = x.unflatten(-1, (1024, -1))
    best = rows.max(-1)
    row = best.values.argmax(-1, keepdim=True)
    return (row * rows.shape[-1] + best.indices.gather(-1, row)).squeeze(-1)


@triton.jit
def causal(q, k, v, o, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    base = tl.program_id(1) * N * D
    left = tl.load(q + base + m[:, None] * D + d[None, :])
    sums = tl.zeros((BM, D), tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        n = start + tl.arange(0, BN)
        keys = tl.load(k + base + n[None, :] * D + d[:, None])
        values = tl.load(v + base + n[:, None] * D + d[None, :])
        scores = tl.where(m[:, None] >= n[None, :], tl.dot(left, keys), 0.0)
        sums = tl.dot(scores.to(tl.bfloat16), values, sums)
    tl.store(o + base + m[:, None] * D + d[None, :], sums.to(tl.bfloat16))


@triton.jit
def ragged(x, lengths, o, LENGTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    sums = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, tl.load(lengths + row), BLOCK):
        sums += tl.load(x + row * LENGTH + start + tl.arange(0, BLOCK))
    tl.store(o + row * BLOCK + tl.arange(0, BLOCK), sums)


def own(q, k, v, rows, lengths):
    heads, length, size = q.shape
    attended = torch.empty_like(q)
    causal[(length // 64, heads)](q, k, v, attended, length, 64, 64, size)
    summed = torch.empty(8, 1024, device=q.device)
    ragged[(8,)](rows, lengths, summed, rows.shape[1], 1024)
    return attended, summed


def model(few, steps, total, parts, rows, q, k, v, lengths):
    first = few.argmax()
    second = place(steps)  # steps
    third = total.sum()
    fourth = parts.unflatten(-1, (1024, -1)).sum(-1).sum(-1)  # steps
    return first, second, third, fourth, rows.min(1), own(q, k, v, rows, lengths)


example_inputs = (
    *(torch.randn(1 << 23) for _ in range(4)),
    torch.randn(8, 1 << 20),
    *(torch.randn(32, 8192, 64, dtype=torch.bfloat16) for _ in range(3)),
    torch.full((8,), 1 << 20, dtype=torch.int32),
)
equal = torch.randint(0, 100, (4, 1 << 20)).float()
assert torch.equal(place(equal), equal.argmax(-1))
"""
LAST = "return first, second, third, fourth, rows.min(1), own(q, k, v, rows, lengths)"
PRODUCTS = 32 * sum(2 * 2 * 64 * 64 * 64 * trips for trips in range(1, 8192 // 64 + 1))
TENSOR_CORES = 989.4e12 * 0.8


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("kernel_findings")
    (folder / "model.py").write_text(MODEL)
    return kernels_for("h100", Path("model.py"), folder)


def _found(report: dict[str, Any], rule: str) -> dict[str, str]:
    """What is said of each line of the model that a rule has found something in."""
    lines = MODEL.splitlines()
    return {
        lines[finding["line"] - 1].strip(): f"{finding['why']} {finding['fix']}"
        for finding in report["findings"]
        if finding["rule"] == rule
    }


def test_few_blocks_are_found_and_two_steps_have_many(report: dict[str, Any]) -> None:
    found = _found(report, "kernel-few-blocks")
    assert set(found) == {"first = few.argmax()", "third = total.sum()", LAST}
    assert "1 of 132 multiprocessors is busy" in found["first = few.argmax()"]
    assert "rows.max(-1)" in found["first = few.argmax()"]
    assert "cuts" not in found["third = total.sum()"]
    assert "rows.min(-1)" in found[LAST]
    bounds = {
        config["prediction"]["blocks"]: config["prediction"]["bound"]
        for kernel in report["kernels"]
        for config in kernel["build"]["configs"]
        if kernel["build"]["predicted_ns"] > 20_000 and not kernel["is_user_written"]
    }
    assert bounds == {1: "too few blocks for the GPU", 8: "too few blocks for the GPU"}


def test_trips_that_depend_on_the_program_are_counted_of_many(report: dict[str, Any]) -> None:
    """The first of 128 programs of each head has one trip, the last 128."""
    (kernel,) = [kernel for kernel in report["kernels"] if kernel["name"].startswith("causal")]
    (config,) = kernel["build"]["configs"]
    prediction = config["prediction"]
    assert not prediction["is_least"]
    assert prediction["bound"] == "compute bound"
    assert prediction["compute_ns"] > 0.99 * PRODUCTS / TENSOR_CORES * 1e9


def test_loops_whose_trips_nobody_knows_have_the_least_time(report: dict[str, Any]) -> None:
    (kernel,) = [kernel for kernel in report["kernels"] if kernel["name"].startswith("ragged")]
    (config,) = kernel["build"]["configs"]
    prediction = config["prediction"]
    assert prediction["is_least"]
    assert kernel["build"]["predicted_is_least"]
    assert prediction["missing"] == "the number of bytes moved is partly unknown"
    assert prediction["memory_ns"] is not None
