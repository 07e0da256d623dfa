"""Tensors that become Python numbers for sizes."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code
from inspector.advice.conditions import names_in
from inspector.advice.edits import statements_instead_of
from inspector.advice.number_checks import (
    CAPTURED,
    ITS_ERROR,
    as_torch_checks,
    check_edits,
    written_checks,
)
from inspector.advice.numbers import is_number_of, tensors_in
from inspector.advice.size_uses import SizeUses, Use
from inspector.advice.sizes import caution
from inspector.findings.around_calls import under
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
    said = caution(code, "make the number in the caller") if _number(code) is not None else ""
    return f"{_FIX} {said}" if said else ""


def _checked(code: Code) -> str:
    return written_checks(code, _uses(code)[1])


def _checked_edits(code: Code) -> tuple[Edit, ...]:
    return check_edits(code, _uses(code)[1])


_FIX = (
    f"{under(CAPTURED)}: the number stays in the graph as a size that torch does not know "
    "beforehand."
)


def _symbol_checked(code: Code) -> str:
    line = "; ".join(_symbol_checks(code))
    return f"Write `{line}` in place of the check. {ITS_ERROR}" if line else ""


def _symbol_checks(code: Code) -> tuple[str, ...]:
    match code.statement:
        case ast.If() | ast.Assert() as check:
            return as_torch_checks(code, check)
    return ()


ADVICE = (
    case("item-size", where=_is_size, tailored=_tailored),
    case(
        "item-checked-size",
        where=_is_checked_size,
        tailored=_checked,
        edits=_checked_edits,
        settings=(("capture_scalar_outputs", True),),
    ),
    case(
        "symbol-checked",
        where=lambda code: bool(_symbol_checks(code)),
        tailored=_symbol_checked,
        edits=lambda code: statements_instead_of(code, code.statement, _symbol_checks(code)),
    ),
)
