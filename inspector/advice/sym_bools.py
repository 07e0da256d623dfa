"""Conditions on sizes that are passed where torch wants a Python bool."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code


def _tailored(code: Code) -> str:
    """Names the condition, where a call has just one."""
    call = code.call or code.find(lambda node: isinstance(node, ast.Call))
    if not isinstance(call, ast.Call):
        return ""
    arguments = [*call.args, *(word.value for word in call.keywords)]
    found = [node for node in arguments if _is_condition(node) and _is_on_sizes(node)]
    shown = code.shown(found[0]) if len(found) == 1 else ""
    return f"Write `True if {shown} else False` in place of `{shown}`: {_WHY}" if shown else ""


def _is_condition(node: ast.expr) -> bool:
    match node:
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Call(func=ast.Name(id="bool")):
            return True
    return False


def _is_on_sizes(node: ast.expr) -> bool:
    """Whether a size is visibly asked for; other conditions may be tensors."""
    for inner in ast.walk(node):
        match inner:
            case ast.Attribute(attr="shape" | "size" | "numel" | "ndim") | ast.Name(id="len"):
                return True
    return False


_WHY = (
    "of a size that may change a comparison is a symbol, which this operator does not take (nor "
    "what `bool()` makes of it). A branch decides it while tracing, and each side is a program of "
    "its own, compiled once."
)


ADVICE = (case("condition-on-size", tailored=_tailored),)
