"""Tensors that become Python numbers for sizes."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice
from inspector.advice.code import Code
from inspector.advice.conditions import names_in
from inspector.advice.edits import statements_instead_of
from inspector.advice.kinds import BRANCH, BRANCH_HINTS, ITEM
from inspector.advice.number_checks import (
    CAPTURED,
    CHECKED,
    ITS_ERROR,
    KEEPS_CHECK,
    LESS_SAID,
    as_torch_checks,
    check_edits,
    written_checks,
)
from inspector.advice.numbers import is_number_of, tensors_in
from inspector.advice.one_function import BY_ITSELF, CALLS_ALONE, under
from inspector.advice.size_of_one import FAILS_IN_2_11, KEEPS_NUMBER, caution
from inspector.advice.size_uses import SizeUses, Use
from inspector.advice.sized import Sized
from inspector.model.edit import Edit


def _is_size(code: Code) -> bool:
    """Whether the number cuts tensors or makes new ones, and nothing needs to know it."""
    found, checks = _uses(code)
    return Use.SIZE in found and Use.WRONG not in found and not checks


def _is_checked_size(code: Code) -> bool:
    """Whether it does, and an error is raised where it is not as it has to be."""
    found, checks = _uses(code)
    return Use.SIZE in found and Use.WRONG not in found and bool(checks)


def _uses(code: Code) -> tuple[set[Use], tuple[ast.If | ast.Assert, ...]]:
    """What is done with the number, and what checks it."""
    number = _number(code)
    if number is None or code.function is None:
        return set(), ()
    tensors = tensors_in(code.function) | set(names_in(number))  # what the number is made of
    uses = SizeUses(code, tensors, code.parents())
    return set(uses.uses(number)), tuple(uses.checks)


def _number(code: Code) -> ast.expr | None:
    """The expression that makes the number: ``x.sum().item()``, ``int(x.sum())``."""
    return code.find(lambda node: is_number_of(node, "int"))


def _tailored(code: Code) -> str:
    number = _number(code)
    said = caution(Sized(code, number=number), "make the number in the caller")
    return f"{_FIX} {said}" if said and number is not None else ""


def _checked(code: Code) -> str:
    return written_checks(code, _uses(code)[1])


def _checked_edits(code: Code) -> tuple[Edit, ...]:
    return check_edits(code, _uses(code)[1])


_FIX = (
    f"{under(CAPTURED)}: the number stays in the graph as a size that torch does not know "
    "beforehand."
)

ITEM_SIZE = Advice(
    id="item-size",
    kinds=(ITEM,),
    where=_is_size,
    title="a tensor made a Python number that is a size",
    fix=_FIX,
    tailored=_tailored,
    keeps=f"The outputs and gradients, but for sizes of 1. {KEEPS_NUMBER} {FAILS_IN_2_11} What "
    "has such a size is compiled for all sizes. On a GPU the number is waited for, as it was. "
    f"{CALLS_ALONE} {BY_ITSELF}",
    instead_of=r"capture_scalar_outputs",
)


ITEM_CHECKED_SIZE = Advice(
    id="item-checked-size",
    kinds=(ITEM,),
    where=_is_checked_size,
    title="a tensor made a Python number that is a size, and is checked",
    fix=CHECKED,
    tailored=_checked,
    edits=_checked_edits,
    settings=(("capture_scalar_outputs", True),),
    caution=LESS_SAID,
    keeps=f"The outputs and gradients, but for sizes of 1. {KEEPS_NUMBER} {KEEPS_CHECK} "
    f"{CALLS_ALONE} {BY_ITSELF}",
    instead_of=r"capture_scalar_outputs",
    tested_on=("2.13",),
)


def _symbol_checked(code: Code) -> str:
    line = "; ".join(_symbol_checks(code))
    return f"Write `{line}` in place of the check. {ITS_ERROR}" if line else ""


def _symbol_checks(code: Code) -> tuple[str, ...]:
    match code.statement:
        case ast.If() | ast.Assert() as check:
            return as_torch_checks(code, check)
    return ()


SYMBOL_CHECK = Advice(
    id="symbol-checked",
    kinds=(BRANCH,),
    says=r"attempted to jump with SymNodeVariable",
    where=lambda code: bool(_symbol_checks(code)),
    title="a captured number that is checked",
    fix="Check it with `torch._check(condition)` in place of the branch or the assertion. "
    f"{ITS_ERROR}",
    tailored=_symbol_checked,
    edits=lambda code: statements_instead_of(code, code.statement, _symbol_checks(code)),
    caution=LESS_SAID,
    keeps="The outputs and gradients. It fails for the same numbers, with a RuntimeError.",
    instead_of=BRANCH_HINTS,
    tested_on=("2.13",),
)

ADVICE = (ITEM_SIZE, ITEM_CHECKED_SIZE, SYMBOL_CHECK)
