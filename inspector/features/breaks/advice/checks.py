"""Loops and checks on the values of tensors."""

from __future__ import annotations

import ast

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.caught import is_caught, raised
from inspector.features.breaks.advice.conditions import (
    branches_by,
    condition_of,
    decides,
    without_numbers,
)
from inspector.features.breaks.advice.edits import line_instead
from inspector.features.breaks.advice.numbers import is_number_of, tensor_of
from inspector.report.user_code.code import Code


def _is_left(code: Code) -> bool:
    """Whether a branch does nothing but raise an error that leaves the function."""
    return raised(code) is not None and not is_caught(code)


def _only_raises(code: Code) -> bool:
    """Whether nothing is told before: what stands in the place of the branch tells nothing."""
    return _is_left(code) and isinstance(code.statement, ast.If) and len(code.statement.body) == 1


def _of_assert(code: Code) -> str:
    """``assert x.any().logical_not()`` for ``assert not x.any()``: torch takes tensors alone."""
    if not isinstance(code.statement, ast.Assert):
        return ""
    condition, said = condition_of(code, code.statement.test), code.statement.msg
    is_constant = isinstance(said, ast.Constant) and isinstance(said.value, str)
    message = f", {code.shown(said)}" if is_constant and code.shown(said) else ""
    return f"assert {condition}{message}" if condition else ""


def _assertion(code: Code) -> str:
    """``assert ~condition, "…"`` for a branch that raises."""
    match code.statement:
        case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=test), orelse=[]):
            shown = condition_of(code, test)
        case ast.If(test=test, orelse=[]):
            condition = condition_of(code, test)
            # `any` and `all` of unsigned bytes are bytes: ~ of one is true, whatever it is.
            bare = without_numbers(test)
            whole = condition if isinstance(bare, ast.Call) else f"({condition})"
            shown = f"~{whole}" if isinstance(bare, ast.Compare) else f"{whole}.logical_not()"
            shown = shown if condition else ""
        case _:
            return ""
    match raised(code):
        case ast.Raise(exc=ast.Call(args=[ast.Constant(value=str()) as said, *_])):
            text = code.shown(said)
        case _:
            text = ""
    message = f", {text}" if text else ""
    return f"assert {shown}{message}" if shown else ""


_CONSTANT = "Assert a tensor, with a constant message or none"


def _said(line: str, when: str) -> str:
    return (
        f"{when}: `{line}`; torch checks it in the graph, and raises a RuntimeError (on a GPU "
        "later than the line, and CUDA cannot be used any more)."
        if line
        else ""
    )


def _checks(code: Code) -> list[ast.If]:
    """The branches below that decide by the number that the statement gives a name."""
    return [node for node in branches_by(code) if isinstance(node, ast.If)]


def _other_loads(code: Code) -> list[ast.Name]:
    """Where the number is read beside the checks of it."""
    inner = {id(node) for check in _checks(code) for node in ast.walk(check)}
    return [load for load in code.loads(code.target) if id(load) not in inner]


def _raise_tailored(code: Code) -> str:
    """Where the number is calculated with as well: a tensor does, in both."""
    loads, parents, checks = _other_loads(code), code.parents(), _checks(code)
    if not loads or len(checks) != 1 or not isinstance(code.statement, ast.Assign):
        return ""
    number = code.statement.value
    tensor = tensor_of(number) if is_number_of(number, "float") else None
    shown = code.shown(tensor), code.shown(number), code.shown(checks[0].test)
    if not all(shown) or not all(isinstance(parents.get(load), ast.BinOp) for load in loads):
        return ""
    return (
        f"Keep it a tensor: `{code.target} = {shown[0]}.detach()` instead of `{code.target} = "
        f"{shown[1]}`. Return `{shown[2]}` as well, and raise the error in the caller."
    )


ADVICE = (
    case("branch-while", where=lambda code: isinstance(code.statement, ast.While)),
    case("branch-raise", where=decides(_is_left), tailored=_raise_tailored),
    case(
        "branch-raise-in-graph",
        where=lambda code: decides(_only_raises)(code) and not _other_loads(code),
        tailored=lambda code: _said(_assertion(code), "Where another type of error will do"),
        edits=lambda code: line_instead(code, _assertion(code)),
    ),
    case(
        "branch-raise-uncompiled",
        where=lambda code: decides(_is_left)(code) and not _other_loads(code),
    ),
    case(
        "branch-assert",
        where=lambda code: isinstance(code.statement, ast.Assert),
        tailored=lambda code: _said(_of_assert(code), _CONSTANT),
        edits=lambda code: line_instead(code, _of_assert(code)),
    ),
)
