"""Python's control flow on the values of tensors."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from inspector.advice.advice import Advice
from inspector.advice.code import Code
from inspector.advice.kinds import BRANCH, ON_TENSOR

__all__ = ["ADVICE"]

_HINTS = r"torch\.cond|branchless|^Your code may"
# These give a tensor of bools, as far as a tensor is in them.
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def _condition(code: Code, test: ast.expr) -> str:
    """The condition as a tensor of bools; empty where that is not certain."""
    if (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], _COMPARISONS)
    ):
        return code.shown(test)
    match test:
        case ast.Call(func=ast.Attribute(attr="any" | "all")):
            return code.shown(test)
    return ""


def _result(body: Sequence[ast.stmt]) -> tuple[str, ast.expr] | None:
    """What a side of a branch gives, (``x = ``, value) or (``return ``, value)."""
    match body:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value)]:
            return f"{name} = ", value
        case [ast.Return(value=ast.expr() as value)]:
            return "return ", value
    return None


def _sides(code: Code) -> tuple[ast.expr, tuple[str, ast.expr], ast.expr] | None:
    """Condition, what happens where it is true, and the value where it is not."""
    match code.statement:
        case ast.If(test=test, body=body, orelse=orelse):
            # Without an else, a side that returns has its other side in the statement behind it.
            then, otherwise = _result(body), _result(orelse or code.block()[1:2])
            if then and otherwise and then[0] == otherwise[0] and (orelse or then[0] == "return "):
                return test, then, otherwise[1]
            name = then[0].removesuffix(" = ") if then else ""
            if then and not orelse and code.is_set_before(name):
                return test, then, ast.Name(name)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.IfExp(test, body, orelse)):
            return test, (f"{name} = ", body), orelse
        case ast.Return(value=ast.IfExp(test, body, orelse)):
            return test, ("return ", body), orelse
    return None


def _chosen(code: Code, value: ast.expr) -> str:
    """A side as an argument of ``torch.where``: a tensor as far as one can see, or a number."""
    match value:
        case ast.Constant(value=bool() | str() | bytes() | None):
            return ""
        case (
            ast.Tuple() | ast.List() | ast.Dict() | ast.Set() | ast.JoinedStr() | ast.Lambda()
            | ast.Compare() | ast.BoolOp() | ast.Starred() | ast.Await() | ast.NamedExpr()
        ):  # fmt: skip
            return ""
    return code.shown(value)


def _tailored(code: Code) -> str:
    """``x = torch.where(…)`` for a branch that only chooses a value."""
    sides = _sides(code)
    if sides is None:
        return ""
    test, (begin, value), other = sides
    condition, *shown = _condition(code, test), _chosen(code, value), _chosen(code, other)
    if not condition or not all(shown):
        return ""
    text = f"Compute both and choose: `{begin}torch.where({condition}, {', '.join(shown)})`"
    numbers = isinstance(value, ast.Constant) and isinstance(other, ast.Constant)
    return f"{text}." if numbers else f"{text}, if both are tensors of one shape and dtype."


_IF = """\
import torch


@torch.compile
def forward(x):
    if x.abs().max() > 10:
        x = x.clamp(-10, 10)
    return x * 2


outputs = [forward(x) for x in (torch.full((3,), 20.0), torch.ones(3))]
"""

WHERE = Advice(
    id="branch-where",
    kinds=(BRANCH,),
    says=ON_TENSOR,
    title="a branch on the value of a tensor",
    fix="Compute both sides and choose with `torch.where(condition, a, b)`.",
    tailored=_tailored,
    before=_IF,
    after="""\
import torch


@torch.compile
def forward(x):
    x = torch.where(x.abs().max() > 10, x.clamp(-10, 10), x)
    return x * 2


outputs = [forward(x) for x in (torch.full((3,), 20.0), torch.ones(3))]
""",
    keeps="The outputs. Both sides are computed; where one of them is infinite or NaN for the "
    "inputs that it is not meant for, its gradient is NaN.",
    instead_of=_HINTS,
)

COND = Advice(
    id="branch-cond",
    kinds=(BRANCH,),
    says=ON_TENSOR,
    title="a branch on the value of a tensor, of which only one side may run",
    fix="Where only one side may run: `torch.cond(condition, then_function, else_function, (x,))`; "
    "both functions return new tensors of one shape and dtype.",
    before=_IF,
    after="""\
import torch


def clamped(x):
    return x.clamp(-10, 10)


def unchanged(x):
    return x.clone()


@torch.compile
def forward(x):
    x = torch.cond(x.abs().max() > 10, clamped, unchanged, (x,))
    return x * 2


outputs = [forward(x) for x in (torch.full((3,), 20.0), torch.ones(3))]
""",
    keeps="The outputs; only one side runs. The sides may not return an input itself (hence the "
    "`clone`) nor change what is outside of them.",
    other_way_of=("branch-where",),
)

ADVICE = (WHERE, COND)
