"""The bytes that kernels move, and those of eager PyTorch, against what was counted by hand."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
import torch
import triton
from torch import Tensor
from torch.nn import functional as functional_
from triton import language as tl

from benchmarks.not_fused import compiled

pytestmark = pytest.mark.compile

MB = 1 << 20  # a tensor of 512 by 512 in float32
ROW = 512 * 4
INT = 8


@dataclasses.dataclass(frozen=True)
class Case:
    """A function, and the bytes that it reads and writes, compiled and in eager PyTorch."""

    name: str
    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    compiled: int
    eager: int
    index: tuple[int, ...] = ()


def cache(store: Tensor, row: Tensor, index: Tensor) -> Tensor:
    """A row goes into a large tensor."""
    store.index_copy_(0, index, row.sin())
    return row


def row_of(store: Tensor, row: Tensor) -> Tensor:
    """The same, at a place that is known; eager writes the sine, and reads it for the copy."""
    value = row.sin()
    store[3:4] = value
    return value


def moved_on(store: Tensor) -> Tensor:
    """A row is read for another, and for the result."""
    store[3:4] = store[5:6].sin()
    return store[5:6] + 1


def momentum(mean: Tensor, x: Tensor) -> Tensor:
    """A buffer that is changed in place, and is read for the result."""
    mean.mul_(0.9).add_(x)
    return mean + x


def copied(to: Tensor, x: Tensor) -> Tensor:
    """What a program copies itself counts."""
    value = x.sin()
    to.copy_(value)
    return value + 1


def two_parts(x: Tensor, y: Tensor) -> None:
    """Two parts of one tensor."""
    x[2:4] = y
    x[6:8] = y


def lists(a: Tensor, b: Tensor, x: Tensor, y: Tensor) -> None:
    """Lists of tensors, in place."""
    torch._foreach_mul_([a, b], 0.9)
    torch._foreach_add_([a, b], [x, y])


@triton.jit
def twice_kernel(source, target, count, block: tl.constexpr):  # noqa: ANN001, ANN201
    places = tl.program_id(0) * block + tl.arange(0, block)
    mask = places < count
    tl.store(target + places, tl.load(source + places, mask=mask) * 2, mask=mask)


def own(x: Tensor) -> Tensor:
    """A kernel of the program's own fills a new tensor."""
    target = torch.empty_like(x)
    twice_kernel[(triton.cdiv(x.numel(), 256),)](x, target, x.numel(), block=256)
    return target


SQUARE = (512, 512)
FOUR = (1, 2, 3, 9)
CASES = [
    # The maximum and the sum are parts of eager's softmax.
    Case("one of four parts, twice", lambda x: torch.softmax(x[512:1024], 1),
         ((2048, 512),), 2 * MB, 2 * MB),
    Case("three parts of one tensor", lambda x: x[:512] * x[512:1024] + x[1024:],
         ((1536, 512),), 4 * MB, 3 * MB + 3 * MB),
    Case("a row into a cache", cache, ((8192, 512), (1, 512)), 2 * ROW + INT, 4 * ROW + INT, (5,)),
    Case("a row at a known place", row_of, ((8192, 512), (1, 512)), 3 * ROW, 4 * ROW),
    Case("a row for another", moved_on, ((8192, 512),), 6 * ROW, 6 * ROW),  # three kernels
    Case("a buffer in place", momentum, (SQUARE, SQUARE), 4 * MB, 2 * MB + 3 * MB + 3 * MB),
    Case("a program's copy", copied, (SQUARE, SQUARE), 3 * MB, 2 * MB + 2 * MB + 2 * MB),
    Case("four rows of a table", lambda table, index: functional_.embedding(index, table).sin(),
         ((8192, 512),), 8 * ROW + 4 * INT, 16 * ROW + 4 * INT, FOUR),
    Case("rows that are added up", lambda table, index: table[index].sum(0),
         ((8192, 512),), 5 * ROW + 4 * INT, 13 * ROW + 4 * INT, FOUR),
    Case("columns by an index", lambda x, index: x[:, index] + 1,
         (SQUARE,), 8 * ROW + 4 * INT, 16 * ROW + 4 * INT, FOUR),
    Case("two indices of one name in Inductor's loops",
         lambda table, index: (table[index] + 1, table[index.flip(0)] * 2),
         ((8192, 512),), 16 * ROW + 4 * INT, 32 * ROW + 16 * INT, FOUR),
    Case("a new tensor with a part of another", lambda x, y: torch.slice_scatter(x, y, 0, 0, 4),
         ((4096, 512), (4, 512)), 16 * MB + 4 * ROW, 16 * MB + 4 * ROW),
    # Inductor makes a whole new tensor, and copies it back.
    Case("two parts", two_parts, ((4096, 512), (2, 512)), 16 * MB + 2 * ROW, 8 * ROW),
    Case("a copy in the line of what it copies", lambda to, x: to.copy_(x.sin()),
         (SQUARE, SQUARE), 2 * MB, 4 * MB),
    Case("rows are added", lambda x, rows, index: x.index_add_(0, index, rows),
         ((8192, 512), (4, 512)), 12 * ROW + 4 * INT, 12 * ROW + 4 * INT, FOUR),
    Case("windows that overlap", lambda x: functional_.avg_pool2d(x[:1], 3, 1, 1),
         ((8, 1, 512, 512),), 2 * MB, 2 * MB),
    Case("an index that is computed", lambda x: functional_.interpolate(x, scale_factor=2.0),
         ((1, 1, 512, 512),), 5 * MB, 5 * MB),
    Case("one of two results of a call, which writes both", lambda x: x.sort(1)[0],
         ((128, 2048),), 4 * MB, 4 * MB),
    Case("lists in place", lists, (SQUARE,) * 4, 6 * MB, 4 * MB + 6 * MB),
    Case("a library takes a part of a tensor", lambda x, w: x[:, 512:] @ w,
         ((512, 1024), SQUARE), 3 * MB, 3 * MB),
    Case("a program's kernel", own, (SQUARE,), 2 * MB, 2 * MB),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_bytes_are_those_counted_by_hand(case: Case) -> None:
    inputs = [torch.ones(shape) for shape in case.shapes]
    if case.index:
        inputs.append(torch.tensor(case.index))
    fusion = compiled(case.function, tuple(inputs), {})
    # Windows reach over the edge, and interpolation computes where it reads.
    assert fusion.bytes_ == pytest.approx(case.compiled, rel=0.02)
    assert fusion.bytes_eager == pytest.approx(case.eager, rel=0.02)
