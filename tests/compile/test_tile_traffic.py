"""Bytes of kernels whose loops load ahead, or move tiles by descriptors, counted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.compile.gpu_kernels import kernels_for

ROOT = Path(__file__).resolve().parents[2]
BANDWIDTH = 4284e9
M, N, K = 2048, 1024, 4096
ROWS, COLUMNS = 3000, 2000

MODEL = """
import torch
import triton
from triton import language as tl

triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))


@triton.jit
def ahead(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    sums = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + (k + inner)[None, :])
        right = tl.load(b + (k + inner)[:, None] * N + n[None, :])
        sums = tl.dot(left, right, sums)
    tl.store(c + m[:, None] * N + n[None, :], sums.to(tl.bfloat16))


@triton.jit
def tiles(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    left = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    right = tl.make_tensor_descriptor(b, shape=[K, N], strides=[N, 1], block_shape=[BK, BN])
    to = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        sums = tl.dot(left.load([m, k]), right.load([k, n]), sums)
    to.store([m, n], sums.to(tl.bfloat16))


@triton.jit
def odd(a, c, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(a, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    to = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    at = [tl.program_id(0) * BM, tl.program_id(1) * BN]
    to.store(at, source.load(at) * 2)


@triton.jit
def stays(a, c, M, N, GRID: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(a, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    to = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    across = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * across, GRID):
        at = [(tile // across) * BM, (tile % across) * BN]
        to.store(at, source.load(at) * 2)


@triton.jit
def line(a, c, N, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(a, shape=[N], strides=[1], block_shape=[BLOCK])
    at = tl.program_id(0) * BLOCK
    places = at + tl.arange(0, BLOCK)
    tl.store(c + places, source.load([at]), mask=places < N)


def model(a, b, x):
    c, d = (torch.empty(a.shape[0], b.shape[1], dtype=a.dtype, device=a.device) for _ in "cd")
    grid = a.shape[0] // 128, b.shape[1] // 128
    ahead[grid](a, b, c, *c.shape, a.shape[1], 128, 128, 64)
    tiles[grid](a, b, d, *d.shape, a.shape[1], 128, 128, 64)
    y, z, w = (torch.empty_like(x) for _ in "yzw")
    odd[triton.cdiv(x.shape[0], 64), triton.cdiv(x.shape[1], 64)](x, y, *x.shape, 64, 64)
    stays[132,](y, z, *x.shape, 132, 64, 64)
    line[triton.cdiv(x.numel(), 1024),](z, w, x.numel(), 1024)
    return c, d, w


example_inputs = (
    torch.ones(2048, 4096, dtype=torch.bfloat16),
    torch.ones(4096, 1024, dtype=torch.bfloat16),
    torch.ones(3000, 2000),
)
"""
PRODUCT = 2 * (M * K + K * N + M * N)
COPY = 2 * 4 * ROWS * COLUMNS


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("tiles")
    (folder / "model.py").write_text(MODEL)
    found = kernels_for("h200", folder / "model.py", folder)["kernels"]
    return {kernel["name"].rpartition("_")[0]: kernel["build"]["configs"][0] for kernel in found}


@pytest.mark.parametrize(
    ("name", "moved"),
    [("ahead", PRODUCT), ("tiles", PRODUCT), ("odd", COPY), ("stays", COPY), ("line", COPY)],
)
def test_each_tensor_is_moved_once(kernels: dict[str, Any], name: str, moved: int) -> None:
    prediction = kernels[name]["prediction"]
    assert prediction["memory_ns"] / 1e9 == pytest.approx(moved / BANDWIDTH, rel=0.001)
    assert "sectors of its addresses" in prediction["parts"][0]
    assert prediction["bound"] in {"memory bound", "compute bound"}
