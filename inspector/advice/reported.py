"""Output, log records and warnings for some values of a tensor."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code
from inspector.advice.conditions import condition_of, decides
from inspector.advice.effects import runs_once
from inspector.advice.reporting import only_reports


def _tailored(code: Code) -> str:
    """Names the condition and the call, where the caller can do the very same."""
    match code.statement:
        case ast.If(test=test, body=[ast.Expr(value=ast.Call(args=args) as call)], orelse=[]):
            condition, shown = condition_of(code, test), code.shown(call)
            constant = not call.keywords and all(isinstance(arg, ast.Constant) for arg in args)
            if condition and shown and constant and runs_once(code):
                return (
                    f"Return `{condition}` as well, a tensor, and do `{shown}` in the caller, "
                    "outside of the compiled function, where it is true."
                )
    return ""


ADVICE = (
    case("branch-report", where=decides(only_reports), tailored=_tailored),
    case("branch-report-uncompiled", where=decides(only_reports)),
)
