"""Python's control flow on the values of tensors."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice
from inspector.advice.code import Code
from inspector.advice.kinds import BRANCH

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


def _assigned(body: list[ast.stmt]) -> tuple[str, ast.expr] | None:
    match body:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value)]:
            return name, value
    return None


def _tailored(code: Code) -> str:
    """``x = torch.where(…)`` for a branch that assigns one name."""
    match code.statement:
        case ast.If(test=test, body=body, orelse=orelse):
            then, otherwise = _assigned(body), _assigned(orelse)
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.IfExp(test=test) as choice):
            then, otherwise, orelse = (
                (target, choice.body),
                (target, choice.orelse),
                [code.statement],
            )
        case _:
            return ""
    condition = _condition(code, test)
    if not condition or then is None or (orelse and (otherwise is None or otherwise[0] != then[0])):
        return ""
    name, value = then
    other = otherwise[1] if otherwise else ast.Name(name)
    shown, other_shown = code.shown(value), code.shown(other)
    if not shown or not other_shown:
        return ""
    return (
        f"Compute both and choose: `{name} = torch.where({condition}, {shown}, {other_shown})`, "
        "if both are tensors of one shape and dtype."
    )


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
