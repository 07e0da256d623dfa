"""Numbers that are made of tensors, and the tensors of which they are made."""

import ast

from inspector.features.breaks.advice.effects import REDUCTIONS
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
