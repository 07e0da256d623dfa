"""Tensors that become Python numbers for the text of an error."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice
from inspector.advice.caught import Catcher, catcher
from inspector.advice.code import Code
from inspector.advice.kinds import ITEM
from inspector.advice.numbers import is_number_of


def _number(code: Code) -> ast.expr | None:
    return code.find(lambda node: is_number_of(node, "bool", "float", "int"))


def _is_told(code: Code) -> bool:
    """Whether the number is made where an error is raised."""
    return isinstance(code.statement, ast.Raise) and _number(code) is not None


def _tailored(code: Code) -> str:
    """Where the compiled code itself catches the error, and does not look at its text."""
    error = code.statement if isinstance(code.statement, ast.Raise) else None
    found = catcher(code, error) if error is not None else None
    shown = code.shown(_number(code))
    if found is None or not shown or _is_read(found.node):
        return ""
    where = f"line {found.node.lineno}" if isinstance(found.node, ast.ExceptHandler) else "a `with`"
    return (
        f"The error is caught in the compiled code ({where} of `{_name(found)}`), which does not "
        f"look at its text: leave `{shown}` out of it."
    )


def _name(found: Catcher) -> str:
    return found.code.function.name if found.code.function is not None else "the function"


def _is_read(node: ast.ExceptHandler | ast.With) -> bool:
    """Whether somebody may look at the error that is caught: it has a name, or is raised again."""
    if isinstance(node, ast.With):
        return False
    inner = [each for statement in node.body for each in ast.walk(statement)]
    named = any(isinstance(each, ast.Name) and each.id == node.name for each in inner)
    return named or any(isinstance(each, ast.Raise) and each.exc is None for each in inner)


IN_ERROR = Advice(
    id="item-in-error",
    kinds=(ITEM,),
    where=_is_told,
    title="a tensor made a Python number for the text of an error",
    fix="Raise the error in the caller, which has the number: return what decides, and what is "
    "told, from the compiled function. Where the compiled code catches it itself, leave the number "
    "out of its text.",
    tailored=_tailored,
    keeps="The outputs and gradients; who reads the text of the error does so in the caller.",
    instead_of=r"capture_scalar_outputs",
)

ADVICE = (IN_ERROR,)
