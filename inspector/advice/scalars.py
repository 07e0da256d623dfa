"""Tensors that become Python numbers."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice
from inspector.advice.code import Code, dotted_name
from inspector.advice.edits import instead_of
from inspector.advice.kinds import DATA_DEPENDENT, ITEM
from inspector.advice.numbers import Uses, is_scalar, tensors_in
from inspector.advice.one_function import BY_ITSELF, CALLS_ALONE, under
from inspector.advice.size_of_one import KEEPS_NUMBER
from inspector.model.edit import Edit

_ITEM_HINT = r"capture_scalar_outputs"
_SETTING = "capture_scalar_outputs=True"
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


KEEP_TENSOR = Advice(
    id="item",
    kinds=(ITEM,),
    title="a tensor made a Python number",
    fix="Keep it a tensor: `t.detach().clone().reshape(())` instead of `t.item()` or `float(t)` "
    f"(and `.long()` behind it instead of `int(t)`), and use {_BEHIND}",
    tailored=_tailored,
    edits=_edits,
    keeps="The outputs, to rounding, and the gradients. A number has no history, so the tensor is "
    "detached; a number does not change with the tensor that it came from, so a tensor that is no "
    "new one is cloned. A Python number is float64, a tensor keeps its dtype, which it can give to "
    "a tensor of integers or of no dimensions; dividing by zero gives no error.",
)

CAPTURE_SCALARS = Advice(
    id="item-captured",
    kinds=(ITEM,),
    where=lambda code: not isinstance(code.statement, ast.If | ast.While | ast.For | ast.Assert),
    title="a tensor made a Python number, left where it is",
    fix=f"To leave it where it is: {under(_SETTING)} keeps the number in the graph, as long as no "
    "Python branch or loop depends on it; as a size an integer works wherever torch need not know "
    "its value (`x[:n]`, `torch.arange(n)`).",
    holds_elsewhere=True,
    keeps="The outputs, but for sizes of 1. A number that a Python branch depends on breaks the "
    f"graph there instead. {KEEPS_NUMBER} {CALLS_ALONE} {BY_ITSELF}",
    other_way_of=("item",),
    instead_of=_ITEM_HINT,
)


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

MATH = Advice(
    id="math-of-tensor",
    kinds=(DATA_DEPENDENT,),
    where=lambda code: code.has(_is_math),
    title="a function of math applied to a tensor",
    fix="Use torch's function instead of math's, without the history that a number does not have: "
    "`torch.sqrt(t.detach().reshape(()))` instead of `math.sqrt(t)`.",
    tailored=_math_tailored,
    edits=_math_edits,
    keeps="The outputs, to rounding (math computes in float64), and the gradients. Where math "
    "raises an error (the root of a negative number), torch gives NaN or infinity.",
)

ADVICE = (KEEP_TENSOR, CAPTURE_SCALARS, MATH)
