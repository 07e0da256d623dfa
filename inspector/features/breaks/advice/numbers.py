"""Numbers that are made of tensors, and the tensors of which they are made."""

import ast

from inspector.features.breaks.advice.effects import REDUCTIONS, is_pure
from inspector.report.user_code.code import dotted_name


def is_scalar(node: ast.expr) -> bool:
    """Whether a tensor is newly made and has no dimensions: ``x.std()``, ``torch.sum(x)``."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=[], keywords=[]):
            return name in REDUCTIONS and dotted_name(value) not in {"torch", "F"}
        case ast.Call(func=function, args=[ast.expr() as value], keywords=[]):
            module, _, name = dotted_name(function).rpartition(".")
            return module == "torch" and name in REDUCTIONS and not isinstance(value, ast.Starred)
    return False


def tensors_in(node: ast.AST) -> frozenset[str]:
    """The names that certainly are tensors: ``x`` where ``x.std()`` or ``(x * x).sum()`` is."""
    found: set[str] = set()
    for inner in ast.walk(node):
        match inner:
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=args) if (
                name in REDUCTIONS or name in {"abs", "all", "any", "float"}
            ):
                operands = args[:1] if dotted_name(value) == "torch" else [value]
                names = {leaf for operand in operands for leaf in _leaves(operand)}
                found |= names if len(names) == 1 else set()
    return frozenset(found)


def _leaves(node: ast.expr) -> frozenset[str]:
    """The names that an expression calculates with."""
    match node:
        case ast.Name() | ast.Attribute() if dotted_name(node):
            return frozenset({dotted_name(node)})
        case ast.BinOp(left=left, right=right):
            return _leaves(left) | _leaves(right)
        case ast.UnaryOp(operand=value):
            return _leaves(value)
        case ast.Call(func=ast.Attribute(value=value)) if is_pure(node):
            return _leaves(value)
    return frozenset()


def tensor_of(
    number: ast.AST | None, conversions: tuple[str, ...] = ("bool", "float", "int")
) -> ast.expr | None:
    """What a number is made of: ``t`` of ``t.item()``, and of ``int(t)`` by a conversion's name."""
    match number:
        case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
            return value
        case ast.Call(func=ast.Name(id=name), args=[value], keywords=[]) if name in conversions:
            return None if isinstance(value, ast.Constant) else value
    return None


def is_number_of(node: ast.AST, *conversions: str) -> bool:
    """Whether a number is made of a tensor: ``t.item()``, or ``int(t)`` by a conversion's name."""
    return tensor_of(node, conversions) is not None
