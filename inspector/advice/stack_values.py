"""What Python has on its stack where a graph breaks, as the user wrote it.

Dynamo hands it to what it compiles behind the break as ``___stack0``, ``___stack1`` and so on
(`ContinueExecutionCache.generate` in torch/_dynamo/resume_execution.py, 2.11 to 2.13): the operands
that were computed before, in order, and what the expression that broke the graph gave.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator
from typing import TypeVar

from inspector.advice.code import Code

# What leaves nothing of its own beside the part of it that is being computed.
_NOTHING = (
    ast.stmt, ast.withitem, ast.keyword, ast.Attribute, ast.Starred, ast.UnaryOp, ast.BoolOp,
    ast.IfExp, ast.NamedExpr,
)  # fmt: skip
_COMPOUND = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp)
_Part = TypeVar("_Part", bound=ast.AST)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class _UnknownError(Exception):
    """What is on the stack depends on more than the syntax."""


def stack_values(code: Code) -> tuple[str, ...]:
    """The values on the stack behind an expression that broke the graph, the lowest first.

    Empty where the syntax does not tell; an empty text for what is too long to be shown.
    """
    if code.expression is None or code.statement is None:
        return ()
    try:
        nodes = [*_below(code, code.expression), code.expression]
    except _UnknownError:
        return ()
    return tuple(_shown(code, node) for node in nodes)


def _shown(code: Code, node: ast.AST) -> str:
    if isinstance(node, ast.stmt):
        return ""  # the iterator of a loop, or how a context is left
    text = code.shown(node)
    return f"({text})" if text and isinstance(node, _COMPOUND) else text


def _below(code: Code, node: ast.AST) -> Iterator[ast.AST]:
    """What was computed before a node and is needed behind it, the lowest first."""
    parents = code.parents()
    chain = [node]
    while not isinstance(chain[-1], _FUNCTIONS):
        if chain[-1] not in parents:
            raise _UnknownError
        chain.append(parents[chain[-1]])
    for outer, inner in itertools.pairwise(reversed(chain)):
        yield from _beside(outer, inner)


def _beside(outer: ast.AST, inner: ast.AST) -> Iterable[ast.AST]:
    """What a node has on the stack while a part of it is computed."""
    match outer:
        case ast.For() | ast.AsyncFor():
            return [outer] if inner in outer.body else []
        case ast.With() | ast.AsyncWith():
            # How each context is left, once it is entered.
            return itertools.repeat(outer, len([*_before(inner, outer.items)]))
        case ast.AugAssign():
            return _updated(outer.target)
        case ast.Call():
            return _before(inner, _called(outer, inner))
        case ast.Tuple() | ast.List() | ast.Set():
            return _before(inner, _with_list(outer.elts, inner))
    return _plain(outer, inner)


def _plain(outer: ast.AST, inner: ast.AST) -> Iterable[ast.AST]:
    match outer:
        case ast.BinOp():
            return _before(inner, [outer.left, outer.right])
        case ast.Subscript():
            return _before(inner, [outer.value, outer.slice])
        case ast.Slice():
            return _before(inner, filter(None, [outer.lower, outer.upper, outer.step]))
        case ast.Compare():  # what was compared before is no longer there
            return [*_before(inner, [outer.left, *outer.comparators])][-1:]
    if not isinstance(outer, (*_NOTHING, *_FUNCTIONS)) or _is_other_order(outer, inner):
        raise _UnknownError
    return []


def _is_other_order(outer: ast.AST, inner: ast.AST) -> bool:
    """Whether a statement has more on the stack than its syntax has before a part of it."""
    match outer:
        case ast.Assign() | ast.AnnAssign():
            return inner is not outer.value
        case ast.Try() | ast.TryStar():
            return inner not in (*outer.body, *outer.orelse)
    return isinstance(outer, ast.Match)


def _before(inner: ast.AST, parts: Iterable[_Part]) -> Iterator[_Part]:
    return itertools.takewhile(lambda part: part is not inner, parts)


def _updated(target: ast.expr) -> list[ast.AST]:
    """Of ``x[i] += …``: where it is put, and what is there."""
    match target:
        case ast.Subscript(value=owner, slice=key):
            return [owner, key, target]
        case ast.Attribute(value=owner):
            return [owner, target]
    return [target]


def _called(call: ast.Call, inner: ast.AST) -> list[ast.expr]:
    """The function, and what is passed, up to the part that is being computed."""
    is_keyword = isinstance(inner, ast.keyword)
    is_packed = any(isinstance(each, ast.Starred) for each in call.args)
    if any(each.arg is None for each in call.keywords) or (is_keyword and is_packed):
        raise _UnknownError
    given = itertools.takewhile(lambda each: each is not inner, call.keywords)
    args = call.args if is_keyword else _with_list(call.args, inner)
    return [call.func, *args, *(each.value for each in given)]


def _with_list(parts: list[ast.expr], inner: ast.AST) -> list[ast.expr]:
    """From the first ``*items`` on, what was before is a list, to which each is added."""
    stars = [n for n, part in enumerate(parts) if isinstance(part, ast.Starred)]
    at = next((n for n, part in enumerate(parts) if part is inner), 0)
    if not stars or at < stars[0]:
        return parts
    return [ast.List(elts=parts[:at], ctx=ast.Load()), *parts[at:]]
