"""Programs with several compiled versions: the one that is most like the call explains it."""

from __future__ import annotations

import collections
import enum
import functools
from typing import Any

import torch
from torch import Tensor

from tests.compile.recompiles.table import Expected, program

losses: collections.defaultdict[str, list[Tensor]] = collections.defaultdict(list)
compiled = functools.partial(torch.compile, backend="eager")
made = 0


class Mode(enum.Enum):
    """Two ways."""

    PLUS = 1
    MINUS = 2


@program(
    Expected("none", "prev", "None", "a tensor of float32[4, 4]", "again", "And as the length"),
    Expected("tensor-size", "prev", "4", "2", "dynamic", "one length in every call"),
    Expected("type", "feats", "list", "tuple", "again", "of one type"),
)
def nearer_entry() -> None:
    """Another size of a tensor is nearer than a tensor in place of None."""

    @compiled
    def neck(feats: Any, prev: Tensor | None = None) -> list[Tensor]:
        outs = [f.sin() for f in feats]
        return outs if prev is None else [o + prev.mean() for o in outs]

    def feats(n: int) -> list[Tensor]:
        return [torch.ones(4, 4)] * n

    neck(feats(2))
    neck(feats(3), torch.ones(4, 4))
    neck(feats(4), torch.ones(2, 2))
    neck(tuple(feats(4)), torch.ones(5, 5))


@program(
    Expected("none", "idx", "None", "a list with 2 items", "again", "With and without idx"),
    Expected("int", "idx[0]", "0", "2", "again", "made the constant 2"),
    Expected("int", "idx[0]", "2", "4", "again", "made the constant 2"),
)
def other_numbers_of_an_optional_list() -> None:
    """Two other numbers are nearer than no list: every pair compiles."""

    @compiled
    def columns(x: Tensor, idx: list[int] | None = None) -> Tensor:
        return x + 1 if idx is None else x[:, idx] * 2

    for idx in (None, [0, 1], [2, 3], [4, 5]):
        columns(torch.ones(4, 9), idx)


@program(
    Expected("container-length", "G['losses']", "0", "...", "again", "in the caller",
             "global"),
    Expected("container-length", "G['losses']['loss']", "1", "2", "again", "in the caller",
             "global"),
    Expected("container-length", "G['losses']['loss']", "2", "3", "again", "in the caller",
             "global"),
)  # fmt: skip
def growing_list_in_a_dict() -> None:
    """The list that grows is nearer than the dict that had none."""
    losses.clear()

    @compiled
    def step(x: Tensor) -> Tensor:
        y = x.relu().sum()
        losses["loss"].append(y)
        return y

    for _ in range(4):
        step(torch.ones(4))


@program(
    Expected("tensor-stride", "x", "6", "1", "dynamic", ".contiguous()"),
    Expected("tensor-dtype", "x", "Float", "Double", "again", ".to(torch.float32)"),
)
def nearest_of_two_dtypes() -> None:
    """The first entry differs in the dtype alone, the newer one in the layout, too."""

    @compiled
    def sines(x: Tensor) -> Tensor:
        return x.sin() + 1

    sines(torch.ones(4, 6))
    sines(torch.ones(6, 4).t())
    sines(torch.ones(4, 6).double())


@program(
    Expected("enum", "mode", "Mode.PLUS", "Mode.MINUS", "again", "And as the int global made"),
    *(
        Expected("int", "G['made']", str(made), str(made + 2), "again", "as an argument", "global")
        for made in range(6)
    ),
    Expected("int", "G['made']", "6", "8", "limit", "as an argument", "global"),
)  # fmt: skip
def counter_beside_an_enum() -> None:
    """Both values were compiled before: it is the counter for which nothing fits."""
    global made
    made = 0

    @compiled
    def step(x: Tensor, mode: Mode) -> Tensor:
        global made
        made += 1
        return x * made if mode is Mode.PLUS else x - made

    for number in range(9):
        step(torch.ones(4), Mode.MINUS if number % 2 else Mode.PLUS)
