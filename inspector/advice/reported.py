"""Output, log records and warnings for some values of a tensor."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice
from inspector.advice.code import Code
from inspector.advice.conditions import condition_of, decides
from inspector.advice.effects import runs_once
from inspector.advice.kinds import BRANCH, BRANCH_HINTS, ITEM, ON_TENSOR_OR_ITEM
from inspector.advice.reporting import only_reports

_HINTS = rf"{BRANCH_HINTS}|capture_scalar_outputs"


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


REPORT = Advice(
    id="branch-report",
    kinds=(BRANCH, ITEM),
    says=ON_TENSOR_OR_ITEM,
    where=decides(only_reports),
    title="output, a log record or a warning for some values of a tensor",
    fix="Return the condition as a tensor (no `.item()` of it), with what is told (a `clone()` of "
    "a tensor that is written to in place later), and print, log or warn in the caller, outside "
    "of the compiled function.",
    tailored=_tailored,
    keeps="The outputs, and what is told, once the graph has run.",
    instead_of=_HINTS,
)

REPORT_UNCOMPILED = Advice(
    id="branch-report-uncompiled",
    kinds=(BRANCH, ITEM),
    says=ON_TENSOR_OR_ITEM,
    where=decides(only_reports),
    title="output, a log record or a warning for some values, which compiled code need not give",
    fix="Where compiled code need not tell it: `if not torch.compiler.is_compiling() and "
    "condition:` leaves the branch out of the graph, and keeps it in eager runs.",
    keeps="The outputs. Compiled, nothing is told.",
    is_silent=True,
    other_way_of=("branch-report",),
    instead_of=_HINTS,
)

ADVICE = (REPORT, REPORT_UNCOMPILED)
