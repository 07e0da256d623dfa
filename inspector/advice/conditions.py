"""The condition of a branch as a tensor of one bool, as the user would write it."""

from __future__ import annotations

import ast
import copy
import dataclasses
from collections.abc import Callable, Iterator, Mapping

from inspector.advice.code import Code
from inspector.advice.effects import is_pure
from inspector.advice.numbers import is_scalar

__all__ = ["condition_of", "decides", "has_numbers", "names_in", "without_numbers"]

# These give a tensor of bools, as far as a tensor is in them.
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def condition_of(code: Code, test: ast.expr, scalars: Mapping[str, str] | None = None) -> str:
    """The condition as a tensor of one bool; empty where that is not certain.

    Args:
        code: Where it stands.
        test: The condition. Numbers that are made of tensors in it stay tensors.
        scalars: Names that are tensors without dimensions, and each as a tensor of a bool.
    """
    known = scalars or {}
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = condition_of(code, operand, known)
            whole = f"({inner})" if isinstance(operand, ast.Compare | ast.BoolOp) else inner
            return inner and f"{whole}.logical_not()"
        case ast.BoolOp(op=operation, values=values):
            sign = " & " if isinstance(operation, ast.And) else " | "
            parts = [condition_of(code, value, known) for value in values]
            # All of them are computed, and all have to be tensors.
            certain = all(_is_certain(side, known) for side in values)
            return sign.join(f"({part})" for part in parts) if certain and all(parts) else ""
    return _condition(code, without_numbers(test), known)


def _condition(code: Code, test: ast.expr, scalars: Mapping[str, str]) -> str:
    match test:
        case ast.Compare():
            return _compared(code, test, scalars)
        case ast.Call(func=ast.Attribute(attr="any" | "all"), args=args, keywords=keywords):
            shown = code.shown(test)
            return f"{shown}.reshape(())" if shown and (args or keywords) else shown
        case ast.Name(id=name) if name in scalars:
            return scalars[name]
    return ""


def _compared(code: Code, test: ast.Compare, scalars: Mapping[str, str]) -> str:
    shown = code.shown(test)
    match test:
        case ast.Compare(left=left, ops=[operation], comparators=[right]) if shown:
            if isinstance(operation, _COMPARISONS):
                sides = [side for side in (left, right) if not isinstance(side, ast.Constant)]
                # A branch takes a tensor of any shape that has one element.
                known = all(_is_scalar(side, scalars) for side in sides)
                return shown if known else f"({shown}).reshape(())"
    return ""


def _is_scalar(node: ast.expr, scalars: Mapping[str, str]) -> bool:
    return is_scalar(node) or (isinstance(node, ast.Name) and node.id in scalars)


def _is_certain(test: ast.expr, scalars: Mapping[str, str]) -> bool:
    """Whether a condition certainly is about a tensor, and changes nothing."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _is_certain(operand, scalars)
        case ast.BoolOp(values=values):
            return all(_is_certain(value, scalars) for value in values)
    bare = without_numbers(test)
    return is_pure(bare) and (bare is not test or _is_about_tensor(bare, scalars))


def _is_about_tensor(test: ast.expr, scalars: Mapping[str, str]) -> bool:
    match test:
        case ast.Compare(left=left, comparators=[right]):
            return _is_scalar(left, scalars) or _is_scalar(right, scalars)
        case ast.Call(func=ast.Attribute(attr="any" | "all")):
            return True
        case ast.Name(id=name):
            return name in scalars
    return False


def has_numbers(node: ast.AST) -> bool:
    """Whether a tensor visibly becomes a number in it: ``x.sum().item()``, ``float(x.sum())``."""
    return any(isinstance(inner, ast.Call) and _tensor(inner) for inner in ast.walk(node))


def without_numbers(node: ast.expr) -> ast.expr:
    """An expression in which tensors stay tensors where the user made numbers of them."""
    return _Bare().visit(copy.deepcopy(node)) if has_numbers(node) else node


class _Bare(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return _tensor(node) or node


def _tensor(node: ast.Call) -> ast.expr | None:
    """The tensor that stands for the number in a comparison, or None."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
            return value
        case ast.Call(func=ast.Name(id="float"), args=[value], keywords=[]) if is_scalar(value):
            return value
        case ast.Call(func=ast.Name(id="int"), args=[value], keywords=[]) if is_scalar(value):
            return ast.Call(ast.Attribute(value, "long", ast.Load()), [], [])
        case ast.Call(func=ast.Name(id="bool"), args=[value], keywords=[]):
            return value if _is_about_tensor(value, {}) else None
    return None


def decides(fits: Callable[[Code], bool]) -> Callable[[Code], bool]:
    """Whether the branch at a graph break is as asked.

    That is the statement, and, where the statement only gives a name to a number that it makes of
    a tensor, a branch by this name.
    """
    return lambda code: any(map(fits, _branches(code)))


def _branches(code: Code) -> Iterator[Code]:
    yield code
    match code.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if has_numbers(value):
            for node in ast.walk(code.function) if code.function else ():
                if isinstance(node, ast.If) and name in names_in(node.test):
                    yield dataclasses.replace(code, statement=node, expression=None)


def names_in(node: ast.AST) -> list[str]:
    """The names in an expression, as often as they are there."""
    return [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)]
