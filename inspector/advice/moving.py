"""Says how a call leaves compiled code."""

from __future__ import annotations

import ast

from inspector.advice.code import Code

__all__ = ["in_the_caller"]


def in_the_caller(code: Code) -> str:
    """Names what a call writes, which has to be returned so that the caller can do the call."""
    shown = code.shown(code.call)
    if not shown or code.call is None:
        return ""
    values = [arg for arg in code.call.args if not isinstance(arg, ast.Constant)]
    named = [f"`{code.shown(value)}`" for value in values if code.shown(value)]
    if len(named) != len(values) or any(isinstance(value, ast.Starred) for value in values):
        return ""
    if not named:
        return f"Move `{shown}` to the caller, outside of the compiled function."
    values_named = " and ".join(dict.fromkeys(named))
    return (
        f"Return {values_named} as well, and do `{shown}` in the caller, outside of the compiled "
        "function."
    )
