"""Tensors that become Python numbers."""

from __future__ import annotations

import ast
import operator

from inspector.advice.advice import Advice
from inspector.advice.code import Code, dotted_name
from inspector.advice.kinds import DATA_DEPENDENT, ITEM

__all__ = ["ADVICE"]

_ITEM_HINT = r"capture_scalar_outputs"


def _tensor(node: ast.expr) -> ast.expr | None:
    """What a number is made of: ``t`` of ``t.item()`` and ``float(t)``."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
            return value
        case ast.Call(func=ast.Name(id="float"), args=[value], keywords=[]):
            return None if isinstance(value, ast.Starred) else value
    return None


def _tailored(code: Code) -> str:
    number = code.find(lambda node: _tensor(node) is not None)
    value, whole = code.shown(number and _tensor(number)), code.shown(number)
    if number is None or not value or not whole:
        return ""
    *around, outermost = code.ancestors(number) or (number,)
    if not all(map(_takes_tensor, around)):
        return ""
    if isinstance(outermost, ast.Return):
        return f"Keep it a tensor: `{value}` instead of `{whole}`."
    name = code.target
    if not name or code.function is None:
        return ""  # what is done with the number is not known
    uses = tuple(code.uses_after(name))
    clamped = [_clamped(code, use, name) for use in uses]
    if not all(map(operator.or_, map(bool, clamped), map(_takes_tensor, uses))):
        return ""
    begin = "" if around else f"{name} = "
    text = f"Keep it a tensor: `{begin}{value}` instead of `{begin}{whole}`"
    more = "; ".join(dict.fromkeys(filter(None, clamped)))
    return f"{text}, and below it {more}." if more else f"{text}."


def _takes_tensor(node: ast.AST) -> bool:
    """Whether the node computes the same with a tensor as with the number in it."""
    match node:
        case ast.BinOp(left=left, right=right):
            sequences = ast.Constant, ast.JoinedStr, ast.List, ast.ListComp, ast.Tuple
            sides = [side for side in (left, right) if isinstance(side, sequences)]
            return all(
                isinstance(side, ast.Constant) and isinstance(side.value, int | float)
                for side in sides
            )
        case ast.UnaryOp(op=operation):
            return not isinstance(operation, ast.Not)
        case ast.Return():
            return True
    return False


def _clamped(code: Code, use: ast.AST, name: str) -> str:
    """``max(t, 1e-3)`` as an operator on tensors; empty for anything else."""
    match use:
        case ast.Call(func=ast.Name(id="max" | "min" as function), args=[_, _], keywords=[]):
            bounds = [arg for arg in use.args if isinstance(arg, ast.Constant)]
            if len(bounds) == 1 and isinstance(bounds[0].value, int | float):
                argument = "min" if function == "max" else "max"
                clamp = f"{name}.clamp({argument}={code.shown(bounds[0])})"
                return f"`{clamp}` instead of `{code.shown(use)}`"
    return ""


_ITEM = """\
import torch


@torch.compile
def forward(x):
    scale = x.std().item()
    return x / max(scale, 1e-3)


outputs = [forward(x) for x in (torch.arange(3.0), torch.zeros(3))]
"""

KEEP_TENSOR = Advice(
    id="item",
    kinds=(ITEM,),
    title="a tensor made a Python number",
    fix="Keep it a tensor: leave out `.item()`, `int()`, `float()` or `bool()`, and use operators "
    "on tensors behind it (`clamp` instead of `max`, `torch.where` instead of `if`).",
    tailored=_tailored,
    before=_ITEM,
    after="""\
import torch


@torch.compile
def forward(x):
    scale = x.std()
    return x / scale.clamp(min=1e-3)


outputs = [forward(x) for x in (torch.arange(3.0), torch.zeros(3))]
""",
    keeps="The outputs, to rounding: a Python number is float64, a tensor keeps its dtype.",
)

CAPTURE_SCALARS = Advice(
    id="item-captured",
    kinds=(ITEM,),
    title="a tensor made a Python number, left where it is",
    fix="To leave it where it is: `torch._dynamo.config.capture_scalar_outputs = True` keeps the "
    "number in the graph, as long as no Python branch, loop or shape depends on it.",
    before=_ITEM.replace("x / max(scale, 1e-3)", "x * scale"),
    after="import torch\n\ntorch._dynamo.config.capture_scalar_outputs = True\n"
    + _ITEM.removeprefix("import torch\n").replace("x / max(scale, 1e-3)", "x * scale"),
    keeps="The outputs. A number that a Python branch depends on breaks the graph there instead.",
    other_way_of=("item",),
    instead_of=_ITEM_HINT,
)


def _is_math(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted_name(node.func).startswith("math.")


def _math_tailored(code: Code) -> str:
    match call := code.find(_is_math):
        case ast.Call(func=function, args=[value], keywords=[]):
            name = dotted_name(function).removeprefix("math.")
            shown, whole = code.shown(value), code.shown(call)
            if name in _SAME_IN_TORCH and shown and whole:
                return (
                    f"Use torch's function of the same name: `torch.{name}({shown})` instead of "
                    f"`{whole}`."
                )
    return ""


_SAME_IN_TORCH = ("cos", "cosh", "erf", "exp", "log", "log10", "log1p", "log2", "sin", "sinh",
                  "sqrt", "tan", "tanh")  # fmt: skip

MATH = Advice(
    id="math-of-tensor",
    kinds=(DATA_DEPENDENT,),
    where=lambda code: code.has(_is_math),
    title="a function of math applied to a tensor",
    fix="Use torch's function instead of math's: it keeps the tensor.",
    tailored=_math_tailored,
    before="""\
import math
import torch


@torch.compile
def forward(x):
    return x / math.sqrt((x * x).sum())


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch


@torch.compile
def forward(x):
    return x / torch.sqrt((x * x).sum())


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs, to rounding: math computes in float64.",
)

ADVICE = (KEEP_TENSOR, CAPTURE_SCALARS, MATH)
