"""Errors that are raised for some values of a tensor, and caught in the same function."""

from __future__ import annotations

import ast
import builtins

from inspector.advice.advice import Advice
from inspector.advice.code import Code, dotted_name
from inspector.advice.conditions import condition_of
from inspector.advice.effects import is_total, writes_in_place
from inspector.advice.kinds import BRANCH, ON_TENSOR
from inspector.advice.reporting import reports

__all__ = ["ADVICE", "is_caught", "raised"]


def raised(code: Code) -> ast.Raise | None:
    """What a branch ends with that does nothing but raise, and tell of it before."""
    match code.statement:
        case ast.If(body=[*told, ast.Raise() as found]) if not told or reports(code, told):
            return found
    return None


def is_caught(code: Code) -> bool:
    """Whether the function itself may catch what the branch raises, and go on."""
    error, parents = raised(code), code.parents()
    child: ast.AST | None = code.statement
    while error is not None and child is not None:
        parent = parents.get(child)
        match parent:
            case ast.Try(body=body, handlers=handlers) if child in body:
                handler = next((item for item in handlers if _catches(item, error)), None)
                if handler is not None:  # one that raises again changes no more than the type
                    return not isinstance(handler.body[0], ast.Raise)
            case ast.With(items=items):
                if any(_suppresses(item.context_expr) for item in items):
                    return True
        child = parent
    return False


def _catches(handler: ast.ExceptHandler, error: ast.Raise) -> bool:
    """Whether a handler may catch an error: yes where the classes are not known."""
    if handler.type is None or error.exc is None:
        return True
    made = error.exc.func if isinstance(error.exc, ast.Call) else error.exc
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(_may_be(dotted_name(made), dotted_name(name)) for name in caught)


def _may_be(name: str, other: str) -> bool:
    one, two = getattr(builtins, name, None), getattr(builtins, other, None)
    if not isinstance(one, type) or not isinstance(two, type):
        return True
    return issubclass(one, two)


def _suppresses(node: ast.expr) -> bool:
    name = dotted_name(node.func) if isinstance(node, ast.Call) else ""
    return name.rpartition(".")[2] == "suppress"


def _tailored(code: Code) -> str:
    """``y = torch.where(…)`` where all that is caught is this branch."""
    match code.statement, code.parents().get(code.statement or ast.Pass()):
        case (
            ast.If(test=test, body=[_], orelse=[]),
            ast.Try(
                body=[_],
                handlers=[
                    ast.ExceptHandler(
                        name=None, body=[ast.Assign(targets=[ast.Name(id=name)], value=value)]
                    )
                ],
                orelse=[],
                finalbody=[],
            ) as statement,
        ):
            condition, shown = condition_of(code, test), code.shown(value)
            is_known = condition and shown and is_total(value) and not writes_in_place(code)
            if is_known and not isinstance(value, ast.Constant) and _is_set(code, statement, name):
                return (
                    f"The error is caught in this function. Instead of the whole `try`: `{name} = "
                    f"torch.where({condition}, {shown}, {name})`, if both are finite tensors of "
                    "one shape and dtype."
                )
    return ""


def _is_set(code: Code, statement: ast.stmt, name: str) -> bool:
    """Whether a name certainly has a value above a statement of the function."""
    return Code(statement, None, code.function, code.lines).is_set_before(name)


CAUGHT = Advice(
    id="branch-raise-caught",
    kinds=(BRANCH,),
    says=ON_TENSOR,
    where=is_caught,
    title="an error raised for some values of a tensor, and caught in the same function",
    fix="The error is caught in this function, so it is a branch: compute what the `except` side "
    "gives and what the rest of the `try` gives, and choose with `torch.where(condition, handled, "
    "otherwise)`, if neither writes anywhere or draws random numbers; or compile the `try` no "
    "more: leave it in the caller.",
    tailored=_tailored,
    before="""\
import torch


@torch.compile
def forward(x):
    y = x * 2
    try:
        if x.sum() < 0:
            raise ValueError("negative")
    except ValueError:
        y = -y
    return y


outputs = [forward(x) for x in (torch.ones(3), -torch.ones(3))]
""",
    after="""\
import torch


@torch.compile
def forward(x):
    y = x * 2
    y = torch.where(x.sum() < 0, -y, y)
    return y


outputs = [forward(x) for x in (torch.ones(3), -torch.ones(3))]
""",
    keeps="The outputs and gradients. Both sides are computed; where one of them, or its "
    "gradient, is infinite or NaN for the inputs that it is not meant for, the gradient is NaN. "
    "The result is a new tensor.",
    instead_of=r"torch\.cond|branchless|^Your code may",
)

ADVICE = (CAUGHT,)
