"""The condition of a branch as a tensor of one bool, as the user would write it."""

import ast
import dataclasses
from collections.abc import Callable, Iterator, Mapping

from inspector.features.breaks.advice.effects import is_pure
from inspector.features.breaks.advice.numbers import is_scalar
from inspector.report.user_code.code import Code, names_of

# These give a tensor of bools, as far as a tensor is in them.
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def condition_of(code: Code, test: ast.expr, scalars: Mapping[str, str] | None = None) -> str:
    """The condition as a tensor of one bool; empty where that is not certain.

    Args:
        test: The condition. Numbers that are made of tensors in it stay tensors.
        scalars: Names that are tensors without dimensions, and each as a tensor of a bool.
    """
    known = scalars or {}
    if any(isinstance(node, ast.NamedExpr) for node in ast.walk(test)):
        return ""  # the name would be a tensor, with a history
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
    bare = without_numbers(test)
    # Torch points at a number that is made somewhere else: then this may be no tensor.
    is_elsewhere = bare is test and code.expression is not None and is_number(code.expression)
    return "" if bare is None or is_elsewhere else _condition(code, bare, known)


def _condition(code: Code, test: ast.expr, scalars: Mapping[str, str]) -> str:
    match test:
        case ast.Compare():
            return _compared(code, test, scalars)
        case ast.Call(func=ast.Attribute(attr="any" | "all"), args=args, keywords=keywords):
            shown = code.shown(test)
            return f"{shown}.reshape(())" if shown and (args or keywords) else shown
        case ast.Name(id=name) if name in scalars:
            return scalars[name]
        case ast.Call() if is_scalar(test) and (shown := code.shown(test)):
            return f"{shown} != 0"
    return ""


def _compared(code: Code, test: ast.Compare, scalars: Mapping[str, str]) -> str:
    shown = code.shown(test)
    match test:
        case ast.Compare(left=left, ops=[operation], comparators=[right]) if shown:
            if isinstance(operation, _COMPARISONS):
                bare = {x: x.operand if isinstance(x, ast.UnaryOp) else x for x in (left, right)}
                sides = [x for x, inner in bare.items() if not isinstance(inner, ast.Constant)]
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
    if bare is None or not is_pure(bare):
        return False
    return bare is not test or _is_about_tensor(bare, scalars)


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


def without_numbers(test: ast.expr) -> ast.expr | None:
    """A condition in which tensors stay tensors where the user made numbers of them.

    Returns:
        The condition itself where it has none; None where a tensor may not take the number's place:
        as an index, in a call, or in a calculation, which its dtype may not hold.
    """
    if not has_numbers(test):
        return test
    match test:
        case ast.Compare(left=left, ops=[_], comparators=[right]):
            one, two = _side(left), _side(right)
            if one is None or two is None:
                return None
            return ast.Compare(left=one, ops=test.ops, comparators=[two])
    return _side(test)


def _side(node: ast.expr) -> ast.expr | None:
    """One side of a comparison as a tensor."""
    if not has_numbers(node):
        return node
    inner = _tensor(node) if isinstance(node, ast.Call) else None
    return None if inner is None or has_numbers(inner) else inner


def _tensor(node: ast.Call) -> ast.expr | None:
    """The tensor in the place of the number in a comparison, or None."""
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


def is_number(node: ast.expr) -> bool:
    """Whether it is a number made of a tensor, or of that and constants."""
    match node:
        case ast.Call():
            return _tensor(node) is not None
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            numbers = [side for side in (left, right) if not isinstance(side, ast.Constant)]
            return bool(numbers) and all(map(is_number, numbers))
    return False


def branches_by(code: Code) -> Iterator[ast.If | ast.IfExp]:
    """The branches below whose condition has the name that the statement gives to a number."""
    match code.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if is_number(value):
            branches = (node for node in code.walk() if isinstance(node, ast.If | ast.IfExp))
            for node in branches:
                if name in names_of(node.test) and node.lineno > code.statement.lineno:
                    yield node


def decides(fits: Callable[[Code], bool]) -> Callable[[Code], bool]:
    """Whether the branch at a graph break is as asked.

    That is the statement, and, where the statement only gives a name to a number that it makes of
    a tensor, a branch by this name.
    """
    return lambda code: any(map(fits, _branches(code)))


def _branches(code: Code) -> Iterator[Code]:
    yield code
    for node in branches_by(code):
        if isinstance(node, ast.If):
            yield dataclasses.replace(code, statement=node, expression=None)
