"""Loops whose number of steps depends on the value of a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inspector.advice.advice import case
from inspector.advice.code import Code, dotted_name, header
from inspector.advice.conditions import decides


def _goes(code: Code, *kinds: type[ast.stmt]) -> bool:
    """Whether a branch leaves the step of the loop around it in one of these ways."""
    if not isinstance(code.statement, ast.If):
        return False
    return any(isinstance(node, kinds) for node in _of_this_loop(code.statement))


def _of_this_loop(statement: ast.stmt) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            yield child
            if not isinstance(child, ast.For | ast.AsyncFor | ast.While | ast.FunctionDef):
                yield from _of_this_loop(child)


def _leaves(code: Code) -> bool:
    if _goes(code, ast.Break):
        return True
    return _goes(code, ast.Return) and code.is_in_loop()


def _is_range(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and dotted_name(node.func) == "range"


def _bounds_loop(code: Code) -> bool:
    """Whether the number that is made here says how often a loop runs."""
    if code.statement is None:
        return False
    ranges = [node for node in header(code.statement) if _is_range(node)]
    if ranges:
        inner = [node for found in ranges for node in ast.walk(found)]
        return code.expression is None or code.expression in inner
    bounds = [node for node in ast.walk(code.function or ast.Pass()) if _is_bound(node)]
    return bool(code.target) and any(_reads(node, code.target) for node in bounds)


def _is_bound(node: ast.AST) -> bool:
    return isinstance(node, ast.While) or _is_range(node)


def _reads(node: ast.AST, name: str) -> bool:
    """Whether a call of `range`, or the test of a loop, needs a name."""
    bound = node.test if isinstance(node, ast.While) else node
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(bound))


ADVICE = (
    case("branch-break", where=decides(_leaves)),
    case("branch-continue", where=decides(lambda code: _goes(code, ast.Continue))),
    case("tensor-as-count", where=_bounds_loop),
)
