"""Tensors that become Python numbers for sizes."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice
from inspector.advice.code import Code
from inspector.advice.conditions import names_in
from inspector.advice.kinds import ITEM
from inspector.advice.numbers import is_number_of, tensors_in
from inspector.advice.one_function import BY_ITSELF, CALLS_ALONE, decorated, under
from inspector.advice.size_of_one import FAILS_IN_2_11, KEEPS_NUMBER, caution
from inspector.advice.size_uses import SizeUses, Use
from inspector.advice.sized import Sized

__all__ = ["ADVICE"]


def _is_size(code: Code) -> bool:
    """Whether the number cuts tensors or makes new ones, and nothing needs to know it."""
    number = _number(code)
    if number is None or code.function is None:
        return False
    tensors = tensors_in(code.function) | set(names_in(number))  # what the number is made of
    found = set(SizeUses(code, tensors, code.parents()).uses(number))
    return Use.SIZE in found and Use.WRONG not in found


def _number(code: Code) -> ast.expr | None:
    """The expression that makes the number: ``x.sum().item()``, ``int(x.sum())``."""
    return code.find(lambda node: is_number_of(node, "int"))


def _tailored(code: Code) -> str:
    number = _number(code)
    said = caution(Sized(code, number=number), "make the number in the caller")
    return f"{_FIX} {said}" if said and number is not None else ""


_PROGRAM = """\
import torch


@torch.compile
def forward(x):
    n = x.argmax().item()
    return x[:n].sum() + torch.arange(n).sum()


outputs = [forward(x) for x in (torch.arange(3.0), torch.arange(5.0).flip(0), torch.ones(1))]
"""
_CUT = """\
import torch


@torch.compile
def forward(x, lengths):
    n = int((x > 0).sum())
    rows = int(lengths.max()) * 2
    summed = x.new_zeros(rows).index_add(0, lengths, x[:2])
    return x[:n] * n, torch.zeros(n, 2) + 1, summed, torch.arange(int(lengths.sum()))


lengths = torch.tensor([1, 2]), torch.tensor([3, 1]), torch.tensor([2, 2])
inputs = torch.arange(3.0), torch.arange(5.0).flip(0), -torch.ones(2)
outputs = [forward(*each) for each in zip(inputs, lengths)]
"""
_SETTING = "capture_scalar_outputs=True"

_FIX = (
    f"{under(_SETTING)}: the number stays in the graph as a size that torch does not know "
    "beforehand."
)
_ONE = """\
import torch


@torch.compile
def forward(x):
    n = x.argmax().item()
    return x[:n].squeeze()


outputs = [forward(x) for x in (torch.arange(3.0), torch.arange(2.0), torch.arange(4.0))]
"""
_ONE_PASSED = """\
import torch


@torch.compile
def forward(x, n):
    return x[:n].squeeze()


inputs = torch.arange(3.0), torch.arange(2.0), torch.arange(4.0)
outputs = [forward(x, x.argmax().item()) for x in inputs]
"""

ITEM_SIZE = Advice(
    id="item-size",
    kinds=(ITEM,),
    where=_is_size,
    title="a tensor made a Python number that is a size",
    fix=_FIX,
    tailored=_tailored,
    before=_PROGRAM,
    after=decorated(_PROGRAM, _SETTING),
    keeps=f"The outputs and gradients, but for sizes of 1. {KEEPS_NUMBER} {FAILS_IN_2_11} What "
    "has such a size is compiled for all sizes. On a GPU the number is waited for, as it was. "
    f"{CALLS_ALONE} {BY_ITSELF}",
    pairs=((_CUT, decorated(_CUT, _SETTING)), (_ONE, _ONE_PASSED)),
    instead_of=r"capture_scalar_outputs",
)

ADVICE = (ITEM_SIZE,)
