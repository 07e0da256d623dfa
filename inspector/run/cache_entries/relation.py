"""Evaluates relations of sizes, as torch prints them, without running anything.

``2 <= L['x'].size()[0]``, ``L['x'].size()[1] == L['y'].size()[0]``, ``((L['n'] % 8)) == 0``: Python
expressions over sources (torch/fx/experimental/symbolic_shapes.py, 2.11 and 2.13).
"""

import ast
import functools
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from inspector.run.source import expression as expression_of

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
# Tried beside the numbers of a relation, to find one that it refuses.
_SOME_SIZES = (*range(2, 66), 100, 128, 256, 1000, 4096, 1_000_003)
_NEAR = (-2, -1, 0, 1, 2)
_FEW_NUMBERS = (*range(-2, 66), 100, 1000, 1_000_003)
_NAMES = (ast.Subscript, ast.Attribute, ast.Name)
_HALF = 0.5
_ANY_NUMBER = re.compile(r"(?<![\w'\].])\d{1,9}(?:\.\d{1,18})?(?![\w'])")
_NUMBER = re.compile(r"(?<![\w'\].])\d{1,9}(?![\w'])")


_parsed = functools.lru_cache(maxsize=4096)(expression_of)


class _UnknownError(Exception):
    """Something in the expression has no known value."""


@functools.lru_cache(maxsize=1 << 16)
def normal(source: str) -> str:
    """One spelling of a source: quotes and spaces as `ast.unparse` has them."""
    if _NORMAL.fullmatch(source):
        return source
    tree = _parsed(source)
    return source if tree is None else ast.unparse(tree)


def relation_holds(expression: str, known: Known) -> bool | None:
    """Whether a relation holds; None where that cannot be known."""
    found = evaluated(expression, known)
    return None if found is None else bool(found)


def size_at(size: int | str, hints: Mapping[str, int]) -> int | None:
    """A size that is written with symbols (``2*s0 + 1``) at their values; None where unknown."""
    found = evaluated(size, hints.get) if isinstance(size, str) else size
    return found if isinstance(found, int) else None


def evaluated(expression: str, known: Known) -> object:
    """What an expression is; None where that cannot be known."""
    tree = _parsed(expression)
    try:
        return None if tree is None else _value(tree, known)
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
    found = known(ast.unparse(node)) if isinstance(node, _NAMES) else None
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


def tried(expressions: Iterable[str], now: int) -> list[int]:
    """Numbers to try in the place of one, the nearest first; 0 and 1 are compiled apart."""
    said = {int(text) for each in expressions for text in _NUMBER.findall(each)}
    near = {number + more for number in said for more in _NEAR}
    numbers = {*near, *_SOME_SIZES} - {0, 1, now}
    return sorted((n for n in numbers if n > 0), key=lambda number: abs(number - now))


def tried_numbers(expression: str, now: float | None, *, is_int: bool) -> list[float]:
    """Numbers that are no sizes to try in the place of one, the nearest first.

    Of these torch compiles 0 and 1 apart in the first call alone.
    """
    said = {float(text) for text in _ANY_NUMBER.findall(expression)}
    near = {number + more for number in said for more in (*_NEAR, -_HALF, _HALF)}
    numbers = {*near, *(-number for number in said), *map(float, _FEW_NUMBERS)} - {now}
    kind = int if is_int else float
    fitting = {kind(number) for number in numbers if not is_int or number.is_integer()}
    middle = 0 if now is None else now
    return sorted(fitting, key=lambda number: (number < 0, abs(number - middle)))


def telling(expressions: Iterable[str], whole: str, known: Known) -> tuple[str, ...]:
    """The relations that refuse some values of a size or a number, the shortest first.

    Left out is what refuses nothing that a shorter one does not, and that two sources are equal,
    which change together.

    Args:
        whole: The size or the number (``L['x'].size()[0]``), in its normal spelling.
    """
    ordered = sorted(dict.fromkeys(expressions), key=len)
    now = known(whole)
    if not isinstance(now, int):
        return ()
    numbers = tried(ordered, now)
    refused: set[int] = set()
    found: list[str] = []
    for expression in ordered:
        pair = equality(expression)
        is_pair = pair is not None and not any(side.lstrip("-").isdecimal() for side in pair)
        own = set() if is_pair else set(_refused_by(expression, whole, known, numbers))
        if own - refused:
            found.append(expression)
        refused |= own
    return tuple(found)


def _refused_by(expression: str, whole: str, known: Known, numbers: Iterable[int]) -> Iterator[int]:
    for number in numbers:

        def instead(source: str, number: int = number) -> int | float | bool | None:
            return number if normal(source) == whole else known(source)

        if relation_holds(expression, instead) is False:
            yield number
