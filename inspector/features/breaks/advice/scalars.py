"""Tensors that become Python numbers."""

from __future__ import annotations

import ast

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.edits import instead_of
from inspector.features.breaks.advice.numbers import Uses, is_scalar, tensors_in
from inspector.report.user_code.code import Code, dotted_name
from inspector.shared.edit import Edit

_BEHIND = (
    "operators on tensors after it (`clamp` instead of `max`, `torch.where` instead of a branch). "
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


def _of_number(code: Code) -> tuple[ast.expr, ast.expr, str] | None:
    """The number, the tensor without dimensions that it is made of, and that without gradients."""
    number = code.find(lambda node: _tensor(node) is not None)
    tensor = _tensor(number) if number is not None else None
    if number is None or tensor is None or not is_scalar(tensor):
        return None
    return number, tensor, f"{code.shown(tensor)}.detach()"


def _tailored(code: Code) -> str:
    """The tensor, or one that could stand for a number of which more is made than is known here."""
    found = _of_number(code)
    if kept := _kept(code, *found) if found is not None else "":
        return kept
    number, instead = _perhaps(code)
    whole = code.shown(number)
    if not whole or not instead:
        return ""
    return f"Where that will do, keep a tensor: `{instead}` instead of `{whole}`, and use {_BEHIND}"


def _edits(code: Code) -> tuple[Edit, ...]:
    """Where more is made of the number than is known, it is tried whether a tensor will do."""
    found = _of_number(code)
    if kept := _edits_of_kept(code, *found) if found is not None else ():
        return kept
    number, instead = _perhaps(code)
    return instead_of(code, number, instead) if number is not None else ()


def _perhaps(code: Code) -> tuple[ast.expr | None, str]:
    """A number, and a tensor of one element in its place; empty where it is none."""
    number = code.find(lambda node: _any_tensor(node)[0] is not None)
    tensor, behind = _any_tensor(number) if number is not None else (None, "")
    shown = code.shown(tensor)
    if tensor is None or not shown:
        return number, ""
    same = ".detach()" if is_scalar(tensor) else ".detach().clone().reshape(())"
    binds = isinstance(tensor, ast.Call | ast.Name | ast.Attribute | ast.Subscript)
    return number, f"{shown if binds else f'({shown})'}{same}{behind}"


def _any_tensor(node: ast.expr) -> tuple[ast.expr | None, str]:
    """What a number is made of, and what makes a tensor of it that is as wide."""
    match node:
        case ast.Call(func=ast.Name(id="float" | "int" as kind), args=[value], keywords=[]):
            inner = _tensor(value) if isinstance(value, ast.Call) else None
            is_tensor = inner is None and isinstance(value, ast.Call | ast.Subscript | ast.Name)
            found = inner if inner is not None else value if is_tensor else None
            return found, ".long()" if kind == "int" else ""
    return _tensor(node), ""


def _uses(code: Code, number: ast.expr, tensor: ast.expr) -> Uses | None:
    """What is done with the number; None where a tensor in its place could be noticed."""
    uses = Uses(code, tensors_in(tensor))
    is_known = code.shown(number) and code.shown(tensor) and uses.allow_tensor(number)
    return uses if is_known else None


def _kept(code: Code, number: ast.expr, tensor: ast.expr, instead: str) -> str:
    """How to keep a tensor in the place of a number; empty where it could be noticed."""
    uses = _uses(code, number, tensor)
    if uses is None:
        return ""
    value = code.statement.value if isinstance(code.statement, ast.Assign) else None
    begin = f"{code.target} = " if value is number else ""
    text = f"Keep it a tensor: `{begin}{instead}` instead of `{begin}{code.shown(number)}`"
    more = "; ".join(f"`{new}` instead of `{old}`" for new, old in uses.changes)
    return f"{text}, and with it {more}." if more else f"{text}."


def _edits_of_kept(
    code: Code, number: ast.expr, tensor: ast.expr, instead: str
) -> tuple[Edit, ...]:
    uses = _uses(code, number, tensor)
    changes = uses.changes.items() if uses is not None else ()
    more = [instead_of(code, node, new) for (new, _), nodes in changes for node in nodes]
    kept = instead_of(code, number, instead) if uses is not None else ()
    return (*kept, *(edit for edits in more for edit in edits))


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
