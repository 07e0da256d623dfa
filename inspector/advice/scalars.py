"""Tensors that become Python numbers."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code, dotted_name
from inspector.advice.edits import instead_of
from inspector.advice.numbers import Uses, is_scalar, tensors_in
from inspector.model.edit import Edit

_BEHIND = (
    "operators on tensors behind it (`clamp` instead of `max`, `torch.where` instead of a branch). "
    "What has to be a number, for Python or for the caller, is made one in the caller."
)
# `float()` of any other reduction changes the dtype where the tensor is one of integers.
_OF_FLOATS = ("mean", "norm", "std", "var")


def _tensor(node: ast.expr) -> ast.expr | None:
    """What a number is made of: ``t`` of ``t.item()`` and ``float(t)``."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
            return value
        case ast.Call(func=ast.Name(id="float"), args=[ast.Call(func=function) as value]):
            named = isinstance(function, ast.Attribute) and function.attr in _OF_FLOATS
            return value if named and not node.keywords else None
    return None


def _tailored(code: Code) -> str:
    number = code.find(lambda node: _tensor(node) is not None)
    tensor = number and _tensor(number)
    if number is not None and tensor is not None and is_scalar(tensor):
        kept = _kept(code, number, tensor, f"{code.shown(tensor)}.detach()")
        return kept or _perhaps_kept(code)
    return _perhaps_kept(code)


def _perhaps_kept(code: Code) -> str:
    """The tensor that could stand for a number of which more is made than is known here."""
    number = code.find(lambda node: bool(_any_tensor(node)[0]))
    whole, instead = code.shown(number), _instead(code, number)
    if not whole or not instead:
        return ""
    return f"Where that will do, keep a tensor: `{instead}` instead of `{whole}`, and use {_BEHIND}"


def _instead(code: Code, number: ast.expr | None) -> str:
    """A tensor of one element, and its own, in the place of a number; empty where it is none."""
    tensor, behind = _any_tensor(number) if number is not None else (None, "")
    shown = code.shown(tensor)
    if tensor is None or not shown:
        return ""
    same = ".detach()" if is_scalar(tensor) else ".detach().clone().reshape(())"
    bare = shown if _binds(tensor) else f"({shown})"
    return f"{bare}{same}{behind}"


def _edits(code: Code) -> tuple[Edit, ...]:
    """Where more is made of the number than is known, it is tried whether a tensor will do."""
    number = code.find(lambda node: _tensor(node) is not None)
    tensor = number and _tensor(number)
    if number is not None and tensor is not None and is_scalar(tensor):
        kept = _edits_of_kept(code, number, tensor, f"{code.shown(tensor)}.detach()")
        if kept:
            return kept
    number = code.find(lambda node: bool(_any_tensor(node)[0]))
    return instead_of(code, number, _instead(code, number)) if number is not None else ()


def _edits_of_kept(
    code: Code, number: ast.expr, tensor: ast.expr, instead: str
) -> tuple[Edit, ...]:
    uses = Uses(code, tensors_in(tensor))
    if not code.shown(number) or not code.shown(tensor) or not uses.allow_tensor(number):
        return ()
    more = (
        edit
        for (new, _), nodes in uses.changes.items()
        for node in nodes
        for edit in instead_of(code, node, new)
    )
    return (*instead_of(code, number, instead), *more)


def _any_tensor(node: ast.expr) -> tuple[ast.expr | None, str]:
    """What a number is made of, and what makes a tensor of it that is as wide."""
    match node:
        case ast.Call(func=ast.Name(id="float" | "int" as kind), args=[value], keywords=[]):
            inner = _tensor(value) if isinstance(value, ast.Call) else None
            is_tensor = inner is None and isinstance(value, ast.Call | ast.Subscript | ast.Name)
            found = inner if inner is not None else value if is_tensor else None
            return found, ".long()" if kind == "int" else ""
    return _tensor(node), ""


def _binds(node: ast.expr) -> bool:
    """Whether a method can be called of an expression without parentheses around it."""
    return isinstance(node, ast.Call | ast.Name | ast.Attribute | ast.Subscript)


def _kept(code: Code, number: ast.expr, tensor: ast.expr, instead: str) -> str:
    """How to keep a tensor in the place of a number; empty where it could be noticed."""
    uses = Uses(code, tensors_in(tensor))
    whole = code.shown(number)
    if not whole or not code.shown(tensor) or not uses.allow_tensor(number):
        return ""
    value = code.statement.value if isinstance(code.statement, ast.Assign) else None
    begin = f"{code.target} = " if value is number else ""
    text = f"Keep it a tensor: `{begin}{instead}` instead of `{begin}{whole}`"
    more = "; ".join(f"`{new}` instead of `{old}`" for new, old in uses.changes)
    return f"{text}, and with it {more}." if more else f"{text}."


KEEP_TENSOR = case("item", tailored=_tailored, edits=_edits)


def _is_math(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted_name(node.func).startswith("math.")


def _of_math(code: Code) -> tuple[ast.expr, ast.expr, str] | None:
    """The number, the tensor that it is made of, and torch's function of that."""
    match call := code.find(_is_math):
        case ast.Call(func=function, args=[ast.expr() as value], keywords=[]):
            name = dotted_name(function).removeprefix("math.")
            if name in _SAME_IN_TORCH and is_scalar(value):
                return call, value, f"torch.{name}({code.shown(value)}.detach())"
    return None


def _math_tailored(code: Code) -> str:
    found = _of_math(code)
    return _kept(code, *found) if found is not None else ""


def _math_edits(code: Code) -> tuple[Edit, ...]:
    found = _of_math(code)
    return _edits_of_kept(code, *found) if found is not None else ()


_SAME_IN_TORCH = ("cos", "cosh", "erf", "exp", "log", "log10", "log1p", "log2", "sin", "sinh",
                  "sqrt", "tan", "tanh")  # fmt: skip


ADVICE = (
    KEEP_TENSOR,
    case(
        "item-captured",
        where=lambda code: (
            not isinstance(code.statement, ast.If | ast.While | ast.For | ast.Assert)
        ),
    ),
    case(
        "math-of-tensor",
        where=lambda code: code.has(_is_math),
        tailored=_math_tailored,
        edits=_math_edits,
    ),
)
