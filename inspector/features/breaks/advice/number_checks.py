"""Checks of a number that was in a tensor: an ``if`` that only raises, or an ``assert``."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from inspector.features.breaks.advice.caught import is_caught, raised
from inspector.features.breaks.advice.edits import statements_instead_of
from inspector.features.recompiles.around_calls import under
from inspector.report.user_code.code import Code, names_of
from inspector.shared.edit import Edit

Check: TypeAlias = ast.If | ast.Assert
CAPTURED = "capture_scalar_outputs=True"
ITS_ERROR = "A failed check raises a RuntimeError."
_SIZES = re.compile(r"\.shape\b|\.size\(|\.dim\(|\.ndim\b|\blen\(")
_INVERSE: Mapping[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.GtE(), ast.LtE: ast.Gt(), ast.Gt: ast.LtE(), ast.GtE: ast.Lt(),
    ast.Eq: ast.NotEq(), ast.NotEq: ast.Eq(),
}  # fmt: skip


def check_around(
    code: Code, parents: Mapping[ast.AST, ast.AST], node: ast.expr, others: Collection[str] = ()
) -> Check | None:
    """The check that an expression is in: in its condition, or in the text of its error.

    Args:
        others: Names that are numbers as well.
    """
    found: ast.AST | None = node
    while found is not None and not isinstance(found, Check):
        found = parents.get(found)
    if not isinstance(found, Check):
        return None
    name = node.id if isinstance(node, ast.Name) else ""
    names = {name, *others}
    is_known = not name or all(_is_known(each, names) for each in _held(code, found))
    is_own = not name or name in names_of(found.test)
    return found if is_own and is_known and as_torch_checks(code, found) else None


def _is_known(condition: ast.expr, names: Collection[str]) -> bool:
    """Whether it is about numbers, or about sizes: `torch._check` takes no tensor."""
    is_ours = not names_of(condition).isdisjoint(names)
    return is_ours or _SIZES.search(ast.unparse(condition)) is not None


def as_torch_checks(code: Code, check: Check) -> tuple[str, ...]:
    """The statements that torch takes in its place, as a size is no number that a branch takes.

    One for each condition: torch would have to know the first one for ``and``. Empty where the
    statement does more than check.
    """
    message: ast.expr | None = None
    match check:
        case ast.Assert(msg=message):
            pass
        case ast.If(body=[ast.Raise(exc=ast.Call(args=[message, *_]))]):
            pass
    told = ""
    if isinstance(message, ast.Constant) and isinstance(message.value, str):
        told = f", lambda: {code.shown(message) or ascii(message.value)}"
    return tuple(f"torch._check({ast.unparse(each)}{told})" for each in _held(code, check))


def written_checks(code: Code, checks: Sequence[Check]) -> str:
    """`CHECKED`, with the statements to write; empty where there are none."""
    lines = {check.lineno: "; ".join(as_torch_checks(code, check)) for check in checks}
    if not lines:
        return ""
    shown = ", and ".join(
        f"`{line}` in place of the check in line {number}" for number, line in lines.items()
    )
    return f"Write {shown}, and call with the number captured: {under(CAPTURED)}. {ITS_ERROR}"


def check_edits(code: Code, checks: Sequence[Check]) -> tuple[Edit, ...]:
    """The same as changes of the file."""
    return tuple(
        edit
        for check in checks
        for edit in statements_instead_of(code, check, as_torch_checks(code, check))
    )


def _held(code: Code, check: Check) -> Sequence[ast.expr]:
    """The conditions that hold behind the check; empty where it does more than check them."""
    match check:
        case ast.Assert(test=test):
            return _conditions(test, holds=True)
        case ast.If(test=test, body=[ast.Raise()], orelse=[]):
            at_check = dataclasses.replace(code, statement=check, expression=None)
            if raised(at_check) is not None and not is_caught(at_check):
                return _conditions(test, holds=False)
    return ()


def _conditions(test: ast.expr, *, holds: bool) -> Sequence[ast.expr]:
    """What has to hold, each by itself; empty where that cannot be said."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _conditions(operand, holds=not holds)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) == holds:
            parts = [_conditions(value, holds=holds) for value in values]
            return [each for part in parts for each in part] if all(parts) else ()
        case ast.Compare(left=left, ops=ops, comparators=others) if holds or len(ops) == 1:
            made = [op if holds else _INVERSE.get(type(op), op) for op in ops]
            sides = zip([left, *others], made, others, strict=False)
            known = all(type(op) in _INVERSE for op in ops)
            return [ast.Compare(one, [op], [two]) for one, op, two in sides] if known else ()
        case ast.Name():
            not_zero: ast.cmpop = ast.NotEq() if holds else ast.Eq()
            return [ast.Compare(test, [not_zero], [ast.Constant(0)])]
    return ()
