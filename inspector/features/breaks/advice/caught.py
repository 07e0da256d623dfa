"""Errors that branches raise, and whether the compiled code itself catches them."""

import ast
import builtins
from collections.abc import Sequence

from inspector.features.breaks.advice.reports import reports
from inspector.report.user_code.code import Code, called, dotted_name


def raised(code: Code) -> ast.Raise | None:
    """What a branch ends with that does nothing but raise, and report before."""
    match code.statement:
        case ast.If(body=[*before, ast.Raise() as found]) if not before or reports(code, before):
            return found
    return None


def is_caught(code: Code, error: ast.Raise) -> bool:
    """Whether the function, or what calls it, may catch an error of the statement, and go on."""
    return any(_catches(each, error) for each in (code, *code.callers))


def _catches(code: Code, error: ast.Raise) -> bool:
    """One that raises again changes no more than the type."""
    child: ast.AST | None = code.statement
    for parent in code.ancestors():
        match parent:
            case ast.Try(body=body, handlers=handlers) if child in body:
                for handler in handlers:
                    kind = handler.type
                    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind] if kind else []
                    if kind is None or _is_one(error, kinds):
                        return not isinstance(handler.body[0], ast.Raise)
            case ast.With(items=items):
                calls = [item.context_expr for item in items]
                if any(
                    isinstance(call, ast.Call)
                    and called(call) == "suppress"
                    and _is_one(error, call.args)
                    for call in calls
                ):
                    return True
        child = parent
    return False


def _is_one(error: ast.Raise, caught: Sequence[ast.expr]) -> bool:
    """Whether an error may be one of the classes: yes where they are not known."""
    if error.exc is None:
        return True
    made = error.exc.func if isinstance(error.exc, ast.Call) else error.exc
    one = getattr(builtins, dotted_name(made), None)
    others = [getattr(builtins, dotted_name(node), None) for node in caught]
    return any(
        not isinstance(one, type) or not isinstance(other, type) or issubclass(one, other)
        for other in others
    )
