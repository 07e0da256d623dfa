"""Errors that are raised for some values of a tensor, and caught in what is compiled."""

from __future__ import annotations

import ast
import builtins
import dataclasses
from collections.abc import Sequence

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.conditions import condition_of, decides
from inspector.features.breaks.advice.effects import is_total, writes_in_place
from inspector.features.breaks.advice.output import reports
from inspector.report.user_code.code import Code, called, dotted_name


def raised(code: Code) -> ast.Raise | None:
    """What a branch ends with that does nothing but raise, and tell of it before."""
    match code.statement:
        case ast.If(body=[*told, ast.Raise() as found]) if not told or reports(code, told):
            return found
    return None


def is_caught(code: Code) -> bool:
    """Whether the function, or what calls it, may catch what the branch raises, and go on."""
    return _catching(code) is not None


def _catching(code: Code) -> Code | None:
    """The code that catches what the branch raises: the branch itself, or a call in a caller."""
    error = raised(code)
    found = catcher(code, error) if error is not None else None
    return found.code if found is not None else None


@dataclasses.dataclass(frozen=True, slots=True)
class Catcher:
    """What catches an error, and goes on.

    Attributes:
        code: The function: that of the statement, or one that called it.
        node: The ``except``, or the ``with`` of what suppresses it.
    """

    code: Code
    node: ast.ExceptHandler | ast.With


def catcher(code: Code, error: ast.Raise) -> Catcher | None:
    """What catches an error of the statement in the compiled code and goes on, if anything does."""
    for each in (code, *code.callers):
        node = _caught_by(each, error)
        if node is not None:
            # One that raises again changes no more than the type.
            again = isinstance(node, ast.ExceptHandler) and isinstance(node.body[0], ast.Raise)
            return None if again else Catcher(each, node)
    return None


def _caught_by(code: Code, error: ast.Raise) -> ast.ExceptHandler | ast.With | None:
    parents = code.parents()
    child: ast.AST | None = code.statement
    while child is not None:
        parent = parents.get(child)
        match parent:
            case ast.Try(body=body, handlers=handlers) if child in body:
                handler = next((item for item in handlers if _catches(item, error)), None)
                if handler is not None:
                    return handler
            case ast.With(items=items):
                if any(_suppresses(item.context_expr, error) for item in items):
                    return parent
        child = parent
    return None


def _catches(handler: ast.ExceptHandler, error: ast.Raise) -> bool:
    """Whether a handler may catch an error: yes where the classes are not known."""
    if handler.type is None:
        return True
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return _is_one(error, caught)


def _is_one(error: ast.Raise, caught: Sequence[ast.expr]) -> bool:
    """Whether an error may be one of the classes."""
    if error.exc is None:
        return True
    made = error.exc.func if isinstance(error.exc, ast.Call) else error.exc
    return any(_may_be(dotted_name(made), dotted_name(name)) for name in caught)


def _may_be(name: str, other: str) -> bool:
    one, two = getattr(builtins, name, None), getattr(builtins, other, None)
    if not isinstance(one, type) or not isinstance(two, type):
        return True
    return issubclass(one, two)


def _suppresses(node: ast.expr, error: ast.Raise) -> bool:
    if not isinstance(node, ast.Call) or called(node) != "suppress":
        return False
    return _is_one(error, node.args)


def _tailored(code: Code) -> str:
    """``y = torch.where(…)`` where all that is caught is this branch; who catches it elsewhere."""
    catching = _catching(code)
    if catching is not None and catching is not code:
        return _in_caller(code, catching)
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
            is_set = dataclasses.replace(code, statement=statement).is_set_before(name)
            is_known = condition and shown and is_total(value) and not writes_in_place(code)
            if is_known and is_set and not isinstance(value, ast.Constant):
                return (
                    f"The error is caught in this function. Instead of the whole `try`: `{name} = "
                    f"torch.where({condition}, {shown}, {name})`, if both are finite tensors of "
                    "one shape and dtype."
                )
    return ""


def _in_caller(code: Code, catching: Code) -> str:
    """Where the error is caught, and what its catching becomes."""
    caller = catching.function.name if catching.function is not None else ""
    called = code.function.name if code.function is not None else "the function"
    line = catching.statement.lineno if catching.statement is not None else 0
    return (
        f"The error is caught where `{called}` is called, in line {line} of `{caller}`, so it is a "
        f"branch: return the condition from `{called}` as a tensor, next to what it gives "
        "otherwise, and choose there with `torch.where(condition, handled, otherwise)`, if neither "
        "writes anywhere or draws random numbers, and what is computed raises nothing itself for "
        "these values; or compile the `try` no more: leave it in the caller."
    )


ADVICE = (case("branch-raise-caught", where=decides(is_caught), tailored=_tailored),)
