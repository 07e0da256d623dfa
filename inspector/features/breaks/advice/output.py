"""Text, log records and warnings from compiled code, also for some values of a tensor."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.conditions import condition_of, decides
from inspector.features.breaks.advice.effects import runs_once
from inspector.features.breaks.advice.moving import in_the_caller
from inspector.features.recompiles.around_calls import under
from inspector.report.user_code.code import Code, attribute, dotted_name

# `print`, `warnings.warn`, `logger.warning_once`, `rank_zero_warn`, `sys.stderr.write`.
_REPORTS = re.compile(
    r"(?:^|_)(?:critical|debug|error|exception|fatal|flush|info|log|log_dict|log_metrics|pprint"
    r"|print|warn|warning|write|writelines)(?:_once)?$"
)


def only_reports(code: Code) -> bool:
    """Whether both sides of a branch do nothing but print, log or warn, perhaps only once."""
    statement = code.statement
    if not isinstance(statement, ast.If):
        return False
    sides = [*statement.body, *statement.orelse]
    return reports(code, [each for each in sides if not _is_noted(code, statement.test, each)])


def _is_noted(code: Code, test: ast.expr, statement: ast.stmt) -> bool:
    """Whether a flag is set that the condition alone asks for: ``self.warned = True``."""
    match statement:
        case ast.Assign(targets=[ast.Attribute() as target], value=ast.Constant(value=bool())):
            name = dotted_name(target)
            asked = _reads(test, name)
            everywhere = _reads(code.function, name) if code.function is not None else 0
            return 0 < asked == everywhere
    return False


def _reads(node: ast.AST, name: str) -> int:
    """How often an attribute is read."""
    return sum(
        isinstance(inner, ast.Attribute)
        and isinstance(inner.ctx, ast.Load)
        and dotted_name(inner) == name
        for inner in ast.walk(node)
    )


def reports(code: Code, statements: Sequence[ast.stmt]) -> bool:
    """Whether statements that belong together only print, log or warn, at least once.

    They may set names that nobody reads but they themselves.
    """
    inner = {id(node) for statement in statements for node in ast.walk(statement)}
    return any(map(_is_report, statements)) and all(
        _is_report(statement) or _only_names(code, statement, inner) for statement in statements
    )


def _is_report(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            return _REPORTS.search(name) is not None
        case ast.If(body=body, orelse=orelse) | ast.For(body=body, orelse=orelse):
            return all(_is_report(inner) for inner in (*body, *orelse))
    return False


def _only_names(code: Code, statement: ast.stmt, inner: set[int]) -> bool:
    """Whether a statement does nothing, or sets names that are read in the branch alone."""
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom():
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return all(id(load) in inner for load in code.loads(name))
    return False


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


def _ignored(code: Code) -> str:
    """How to leave out the very method that is called: others do not count."""
    if code.call is None or not isinstance(code.call.func, ast.Attribute):
        return ""
    setting = f"ignore_logging_functions={{logging.Logger.{code.call.func.attr}}}"
    return (
        f"If the record is not needed: {under(setting)} leaves it, and all others of this method, "
        "out of compiled code."
    )


WRITTEN = (
    case("print", tailored=in_the_caller),
    case("print-reordered"),
    case(
        "stream-write",
        where=lambda code: code.has(attribute("write", "flush")),
        tailored=in_the_caller,
    ),
    case("logging", tailored=in_the_caller),
    case("logging-enabled"),
    case("logging-ignored", tailored=_ignored),
    case("warning", tailored=in_the_caller),
    case("warning-reordered"),
    case("tensor-as-text"),
    case("breakpoint"),
)
REPORTED = (
    case("branch-report", where=decides(only_reports), tailored=_tailored),
    case("branch-report-uncompiled", where=decides(only_reports)),
)
