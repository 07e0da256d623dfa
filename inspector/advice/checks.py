"""Loops and checks on the values of tensors."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.caught import is_caught, raised
from inspector.advice.code import Code
from inspector.advice.conditions import branches_by, condition_of, decides, without_numbers
from inspector.advice.edits import line_instead
from inspector.advice.numbers import is_number_of, tensor_of
from inspector.model.edit import Edit


def _is_left(code: Code) -> bool:
    """Whether a branch does nothing but raise an error that leaves the function."""
    return raised(code) is not None and not is_caught(code)


def _only_raises(code: Code) -> bool:
    """Whether nothing is told before: what stands in the place of the branch tells nothing."""
    return _is_left(code) and isinstance(code.statement, ast.If) and len(code.statement.body) == 1


def _asserted(code: Code) -> str:
    line = _assertion(code)
    return f"Where another type of error will do: `{line}`; {_IN_THE_GRAPH}" if line else ""


def _edits(code: Code) -> tuple[Edit, ...]:
    return line_instead(code, _assertion(code))


def _of_assert(code: Code) -> str:
    """``assert x.any().logical_not()`` for ``assert not x.any()``: torch takes tensors alone."""
    match code.statement:
        case ast.Assert(test=test, msg=said):
            condition = condition_of(code, test)
        case _:
            return ""
    is_constant = isinstance(said, ast.Constant) and isinstance(said.value, str)
    message = f", {code.shown(said)}" if is_constant and code.shown(said) else ""
    return f"assert {condition}{message}" if condition else ""


def _assert_tailored(code: Code) -> str:
    line = _of_assert(code)
    return (
        f"Assert a tensor, with a constant message or none: `{line}`; {_IN_THE_GRAPH}"
        if line
        else ""
    )


def _assert_edits(code: Code) -> tuple[Edit, ...]:
    return line_instead(code, _of_assert(code))


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
    if not shown:
        return ""
    text = ""
    match raised(code):
        case ast.Raise(exc=ast.Call(args=[ast.Constant(value=str()) as said, *_])):
            text = code.shown(said)
    message = f", {text}" if text else ""
    return f"assert {shown}{message}"


_IN_THE_GRAPH = (
    "torch checks it in the graph, and raises a RuntimeError (on a GPU later than the line, and "
    "CUDA cannot be used any more)."
)


def _other_loads(code: Code) -> list[ast.Name]:
    """Where the number that the statement gives a name is read beside the checks of it."""
    checks = [node for node in branches_by(code) if isinstance(node, ast.If)]
    inner = {id(node) for check in checks for node in ast.walk(check)}
    return [load for load in code.loads(code.target) if id(load) not in inner]


def _raise_tailored(code: Code) -> str:
    """Where the number is calculated with as well: a tensor does, in both."""
    loads, parents = _other_loads(code), code.parents()
    checks = [node for node in branches_by(code) if isinstance(node, ast.If)]
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


def _is_checked_alone(code: Code) -> bool:
    return not _other_loads(code)


ADVICE = (
    case("branch-while", where=lambda code: isinstance(code.statement, ast.While)),
    case("branch-raise", where=decides(_is_left), tailored=_raise_tailored),
    case(
        "branch-raise-in-graph",
        where=lambda code: decides(_only_raises)(code) and _is_checked_alone(code),
        tailored=_asserted,
        edits=_edits,
    ),
    case(
        "branch-raise-uncompiled",
        where=lambda code: decides(_is_left)(code) and _is_checked_alone(code),
    ),
    case(
        "branch-assert",
        where=lambda code: isinstance(code.statement, ast.Assert),
        tailored=_assert_tailored,
        edits=_assert_edits,
    ),
)
