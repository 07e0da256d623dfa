"""Checks of a number that was in a tensor: an ``if`` that only raises, or an ``assert``."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping, Sequence

from inspector.advice.caught import is_caught, raised
from inspector.advice.code import Code

__all__ = ["as_torch_checks", "check_around"]

_INVERSE: Mapping[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.GtE(), ast.LtE: ast.Gt(), ast.Gt: ast.LtE(), ast.GtE: ast.Lt(),
    ast.Eq: ast.NotEq(), ast.NotEq: ast.Eq(),
}  # fmt: skip


def check_around(
    code: Code, parents: Mapping[ast.AST, ast.AST], node: ast.expr
) -> ast.If | ast.Assert | None:
    """The check that an expression is in: in its condition, or in the text of its error."""
    found: ast.AST | None = node
    while found is not None and not isinstance(found, ast.If | ast.Assert):
        found = parents.get(found)
    if not isinstance(found, ast.If | ast.Assert):
        return None
    names = {n.id for n in ast.walk(found.test) if isinstance(n, ast.Name)}
    is_own = not isinstance(node, ast.Name) or node.id in names
    return found if is_own and as_torch_checks(code, found) else None


def as_torch_checks(code: Code, check: ast.If | ast.Assert) -> tuple[str, ...]:
    """The statements that torch takes in its place, as a size is no number that a branch takes.

    One for each condition: torch would have to know the first one for ``and``. Empty where the
    statement does more than check.
    """
    message: ast.expr | None = None
    match check:
        case ast.Assert(test=test, msg=message):
            found = _conditions(test, holds=True)
        case ast.If(test=test, body=[ast.Raise(exc=error)], orelse=[]):
            at_check = dataclasses.replace(code, statement=check, expression=None)
            if raised(at_check) is None or is_caught(at_check):
                return ()
            found = _conditions(test, holds=False)
            message = error.args[0] if isinstance(error, ast.Call) and error.args else None
        case _:
            return ()
    told = ""
    if isinstance(message, ast.Constant) and isinstance(message.value, str):
        told = f", lambda: {code.shown(message) or ascii(message.value)}"
    return tuple(f"torch._check({ast.unparse(each)}{told})" for each in found)


def _conditions(test: ast.expr, *, holds: bool) -> Sequence[ast.expr]:
    """What has to hold, each by itself; empty where that cannot be said."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _conditions(operand, holds=not holds)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) == holds:
            parts = [_conditions(value, holds=holds) for value in values]
            return [each for part in parts for each in part] if all(parts) else ()
        case ast.Compare(left=left, ops=ops, comparators=others) if holds or len(ops) == 1:
            sides = [left, *others]
            made = [op if holds else _INVERSE.get(type(op)) for op in ops]
            return [
                ast.Compare(left=sides[at], ops=[op], comparators=[sides[at + 1]])
                for at, op in enumerate(made)
                if op is not None and type(op) in _INVERSE
            ] if all(type(op) in _INVERSE for op in ops) else ()  # fmt: skip
        case ast.Name() | ast.Call():
            op = ast.NotEq() if holds else ast.Eq()
            return [ast.Compare(left=test, ops=[op], comparators=[ast.Constant(0)])]
    return ()
