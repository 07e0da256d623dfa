"""Programs with several compiled versions: the one that is most like the call explains it."""

from __future__ import annotations

import argparse
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


class Parts(enum.Flag):
    """What is computed; none of it is a member too, which has no name."""

    SIN = 1
    COS = 2


@program(
    Expected("none", "prev", "None", "a tensor of float32[4, 4]", "again", "Because the length"),
    Expected("tensor-size", "prev", "4", "2", "dynamic", "the same length in every call"),
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
    Expected("none", "idx", "None", "a list with 2 items", "again", "Calls with and without idx"),
    Expected("int", "idx[0]", "0", "2", "again", "specialized on 2"),
    Expected("int", "idx[0]", "2", "4", "again", "specialized on 2"),
)
def other_numbers_of_an_optional_list() -> None:
    """Two other numbers are nearer than no list: every pair compiles."""

    @compiled
    def columns(x: Tensor, idx: list[int] | None = None) -> Tensor:
        return x + 1 if idx is None else x[:, idx] * 2

    for idx in (None, [0, 1], [2, 3], [4, 5]):
        columns(torch.ones(4, 9), idx)


@program(
    Expected("container-keys", "G['losses']", "no keys", "keys 'loss'", "again", "in the caller",
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
    Expected("enum", "mode", "Mode.PLUS", "Mode.MINUS", "again", "Because the int global made"),
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


@program(
    Expected("str", "tag", "'a'", "'bb'", "again", "is a string"),
    *(
        Expected("str", "tag", repr("ab"[n % 2] * (n + 1)), repr("ab"[n % 2] * (n + 3)),
                 "limit" if n == 6 else "again", "is a string")
        for n in range(7)
    ),
)  # fmt: skip
def strings_beside_an_enum() -> None:
    """Of what was compiled for the same member, the newest is the nearest, at the limit too."""

    @compiled
    def step(x: Tensor, tag: str, mode: Mode) -> Tensor:
        return x + len(tag) if mode is Mode.PLUS else x - len(tag)

    for number in range(9):
        step(torch.ones(4), "ab"[number % 2] * (number + 1), list(Mode)[number % 2])


@program(
    Expected("enum", "given.way", "Mode.PLUS", "Mode.MINUS", "again", "an enum member",
             "attribute"),
    Expected("enum", "parts", "Parts(0)", "Parts.COS", "again", "an enum member"),
    Expected("enum", "parts", "Parts.SIN", "Parts.SIN|COS", "again", "an enum member"),
)  # fmt: skip
def flags() -> None:
    """Each of several entries wants a member of its own; the second call has another mode."""

    @compiled
    def step(x: Tensor, parts: Parts, given: argparse.Namespace) -> Tensor:
        y = x.sin() if Parts.SIN in parts else x
        y = y.cos() if Parts.COS in parts else y
        return y + 1 if given.way is Mode.PLUS else y - 1

    plus, minus = (argparse.Namespace(way=way) for way in Mode)
    step(torch.ones(4), Parts(0), plus)
    step(torch.ones(4), Parts.SIN, minus)
    step(torch.ones(4), Parts.COS, plus)
    step(torch.ones(4), Parts.SIN | Parts.COS, minus)
