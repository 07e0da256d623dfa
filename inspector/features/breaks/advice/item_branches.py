"""Tensors that become Python numbers for a branch to decide by."""

from __future__ import annotations

import ast
import dataclasses
from typing import NamedTuple

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.branches import CHOOSE, choice, chosen_number, edits_of_choice
from inspector.features.breaks.advice.choices import CHOSEN, Choices
from inspector.features.breaks.advice.conditions import (
    branches_by,
    condition_of,
    fits_all,
    has_numbers,
    is_wide,
    without_numbers,
)
from inspector.features.breaks.advice.edits import instead_of, statements_instead_of
from inspector.features.breaks.advice.numbers import is_scalar
from inspector.report.user_code.code import Code, names_of
from inspector.shared.edit import Edit


def _decides(code: Code) -> bool:
    """Whether a branch, here or below, decides by the number."""
    tests = _tests(code)
    if code.expression is None:
        inside = any(map(has_numbers, tests))
    else:
        inside = any(node is code.expression for test in tests for node in ast.walk(test))
    return inside or any(True for _ in branches_by(code))


def _tests(code: Code) -> list[ast.expr]:
    """The conditions in the statement itself."""
    return [node.test for node in code.header() if isinstance(node, ast.If | ast.IfExp)]


def _tailored(code: Code) -> str:
    found = Choices.of(code)
    if found is not None:
        return found.said
    return chosen_number(code) or _kept(code) or _condition(code)


def _condition(code: Code) -> str:
    """Where more than a choice depends on it: the condition as a tensor alone."""
    tests = _tests(code)
    condition = condition_of(code, tests[0]) if len(tests) == 1 else ""
    return (
        f"`{condition}` is the condition as a tensor, without a number. {CHOOSE}."
        if condition
        else ""
    )


def _kept(code: Code) -> str:
    """For a number with a name: the name stays a tensor, and the branch by it chooses."""
    kept = _kept_by(code)
    if kept is None:
        return ""
    name, old = code.target, code.shown(kept.value)
    return (
        f"Keep it a tensor: `{name} = {kept.new}` instead of `{name} = {old}`, and choose by it: "
        f"`{kept.chosen}` in the place of the branch in line {kept.branch.lineno}, {CHOSEN}"
    )


def _edits_of_kept(code: Code) -> tuple[Edit, ...]:
    kept = _kept_by(code)
    if kept is None:
        return ()
    return (
        *instead_of(code, kept.value, kept.new),
        *statements_instead_of(code, kept.branch, [kept.chosen]),
    )


class _Kept(NamedTuple):
    """A number that stays a tensor: what its name is set to, and what chooses by it."""

    value: ast.expr
    new: str
    branch: ast.stmt
    chosen: str


def _kept_by(code: Code) -> _Kept | None:
    name, branch = code.target, _only_branch(code)
    if branch is None or not isinstance(code.statement, ast.Assign):
        return None
    bare, old = without_numbers(code.statement.value), code.shown(code.statement.value)
    if bare is None or not (is_wide(bare) or _fits(branch, name)):
        return None
    shown = _new_scalar(code, bare)
    as_bool = name if isinstance(bare, ast.Compare) else f"{name}.bool()"
    below = dataclasses.replace(code, statement=branch, expression=None)
    chosen = choice(below, {name: as_bool})
    if not shown or not old or not chosen:
        return None
    return _Kept(code.statement.value, shown, branch, chosen)


def _only_branch(code: Code) -> ast.stmt | None:
    """The one statement below, in the same block, whose condition alone knows the name."""
    name = code.target
    tests = [node.test for node in branches_by(code)]
    if len(tests) != 1 or len(code.stores(name)) != 1 or code.is_outer(name):
        return None
    inside = {id(node) for node in ast.walk(tests[0])}
    alone = all(id(load) in inside for load in code.loads(name))
    return next((s for s in code.block()[1:] if name in names_of(s)), None) if alone else None


def _fits(branch: ast.stmt, name: str) -> bool:
    """Whether a tensor of any dtype gives what a number gives, in all that it is compared with."""
    compared = [node for node in ast.walk(branch) if isinstance(node, ast.Compare)]
    others = [
        side
        for node in compared
        if name in names_of(node)
        for side in (node.left, *node.comparators)
        if not (isinstance(side, ast.Name) and side.id == name)
    ]
    return all(map(fits_all, others))


def _new_scalar(code: Code, bare: ast.expr) -> str:
    """A new tensor without dimensions that no gradient goes through; empty where not certain."""
    shown = code.shown(bare)
    match bare:
        case ast.Compare(left=left, ops=[_], comparators=[right]):
            sides = [side for side in (left, right) if not isinstance(side, ast.Constant)]
            return shown if all(map(is_scalar, sides)) else ""
        case ast.Call(func=ast.Attribute(attr="any" | "all"), args=[], keywords=[]):
            return shown
    return f"{shown}.detach()" if shown and is_scalar(bare) else ""


ADVICE = (
    case(
        "item-branch",
        where=_decides,
        tailored=_tailored,
        edits=lambda code: edits_of_choice(code) or _edits_of_kept(code),
    ),
)
