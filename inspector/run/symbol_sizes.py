"""Sizes that are written with symbols (``2*s0 + 1``), at the values that they had when compiled."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def size_at(size: int | str, hints: Mapping[str, int]) -> int | None:
    """The value of a size, or None where a symbol has none or the text is more than arithmetic."""
    if isinstance(size, int):
        return size
    if size in hints:
        return hints[size]
    try:
        return _value(ast.parse(size, mode="eval").body, hints)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _value(size: ast.expr, hints: Mapping[str, int]) -> int | None:
    match size:
        case ast.Constant(value=int() as value):
            return value
        case ast.Name(id=name):
            return hints.get(name)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            first, second = _value(left, hints), _value(right, hints)
            if first is None or second is None or (second <= 0 and not isinstance(sign, ast.Add)):
                return None
            return _OPERATORS[type(sign)](first, second)
    return None
