"""Evaluates relations of sizes, as torch prints them, without running anything.

``2 <= L['x'].size()[0]``, ``L['x'].size()[1] == L['y'].size()[0]``, ``((L['n'] % 8)) == 0``: Python
expressions over sources (torch/fx/experimental/symbolic_shapes.py, 2.11 and 2.13).
"""

from __future__ import annotations

import ast
import functools
import math
import operator
import re
from collections.abc import Callable
from typing import TypeAlias

Known: TypeAlias = Callable[[str], int | float | bool | None]
"""The value of a source or of one of its sizes (``L['x'].size()[0]``), or None."""

# Most sources: names, attributes, numbers and plain strings in single quotes.
_NORMAL = re.compile(r"[LG](?:\['[\w/:-]*'\]|\[\d+\]|\.[A-Za-z_]\w*)*")
_BINARY: dict[type[ast.operator], Callable[..., object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
_UNARY: dict[type[ast.unaryop], Callable[..., object]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_COMPARE: dict[type[ast.cmpop], Callable[..., object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_CALLS: dict[str, Callable[..., object]] = {
    "max": max,
    "min": min,
    "Max": max,
    "Min": min,
    "Mod": operator.mod,
    "PythonMod": operator.mod,
    "FloorDiv": operator.floordiv,
    "Eq": operator.eq,
    "Ne": operator.ne,
    "abs": abs,
    "math.isnan": math.isnan,
    "__math_isnan": math.isnan,
    "math.floor": math.floor,
    "math.ceil": math.ceil,
    "float": float,
    "int": int,
}


class _UnknownError(Exception):
    """Something in the expression has no known value."""


@functools.lru_cache(maxsize=4096)
def _parsed(expression: str) -> ast.expr | None:
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@functools.lru_cache(maxsize=1 << 16)
def normal(source: str) -> str:
    """One spelling of a source: quotes and spaces as `ast.unparse` has them."""
    if _NORMAL.fullmatch(source):
        return source
    tree = _parsed(source)
    return source if tree is None else ast.unparse(tree)


def relation_holds(expression: str, known: Known) -> bool | None:
    """Whether a relation holds; None where that cannot be known."""
    tree = _parsed(expression)
    if tree is None:
        return None
    try:
        return bool(_value(tree, known))
    except (_UnknownError, ArithmeticError, TypeError, ValueError, RecursionError):
        return None


def equality(expression: str) -> tuple[str, str] | None:
    """The two sides of ``a == b``, or None for any other relation."""
    match _parsed(expression):
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return ast.unparse(left), ast.unparse(right)
    return None


def identity(expression: str) -> frozenset[str] | None:
    """The two sides of ``a is b``, or None for any other relation."""
    match _parsed(expression):
        case ast.Compare(left=left, ops=[ast.Is()], comparators=[right]):
            sides = frozenset({ast.unparse(left), ast.unparse(right)})
            return sides if not isinstance(right, ast.Constant) else None
    return None


def _value(node: ast.expr, known: Known) -> object:  # noqa: PLR0911 - one per kind of node
    found = known(ast.unparse(node)) if isinstance(node, ast.Subscript | ast.Attribute) else None
    if found is not None:
        return found
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Call():
            return _called(node, known)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            return _BINARY[type(sign)](_value(left, known), _value(right, known))
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _UNARY:
            return _UNARY[type(sign)](_value(operand, known))
        case ast.BoolOp(op=sign, values=values):
            return _joined(values, known, is_and=isinstance(sign, ast.And))
        case ast.Compare():
            return _compared(node, known)
    raise _UnknownError


def _called(node: ast.Call, known: Known) -> object:
    whole = known(ast.unparse(node))  # storage_offset(), item()
    if whole is not None:
        return whole
    function = _CALLS.get(ast.unparse(node.func))
    if function is None or node.keywords:
        raise _UnknownError
    return function(*(_value(argument, known) for argument in node.args))


def _joined(values: list[ast.expr], known: Known, *, is_and: bool) -> bool:
    """``and``/``or``, where one side can decide although the other is unknown."""
    is_unknown = False
    for value in values:
        try:
            holds = bool(_value(value, known))
        except _UnknownError:
            is_unknown = True
            continue
        if holds is not is_and:
            return holds
    if is_unknown:
        raise _UnknownError
    return is_and


def _compared(node: ast.Compare, known: Known) -> bool:
    left = _value(node.left, known)
    for sign, right_node in zip(node.ops, node.comparators, strict=True):
        if type(sign) not in _COMPARE:
            raise _UnknownError
        right = _value(right_node, known)
        if not _COMPARE[type(sign)](left, right):
            return False
        left = right
    return True
