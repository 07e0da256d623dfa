"""Branches on values whose sides do what no graph does: they return nothing, count, or keep."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.choices import Choices
from inspector.features.breaks.advice.conditions import condition_of, decides, without_numbers
from inspector.features.breaks.advice.effects import MODES, runs_once
from inspector.report.user_code.code import Code, called, dotted_name


def _sides(code: Code) -> tuple[ast.expr, Sequence[ast.stmt], Sequence[ast.stmt]] | None:
    """The condition, and what is done where it holds, and where it does not."""
    match code.statement:
        case ast.If(test=test, body=body, orelse=orelse):
            return test, body, orelse
        case ast.Assign(targets=targets, value=ast.IfExp(test, body, orelse)):
            return test, [ast.Assign(targets, body)], [ast.Assign(targets, orelse)]
        case ast.Return(value=ast.IfExp(test, body, orelse)):
            return test, [ast.Return(body)], [ast.Return(orelse)]
    return None


def _is_more(code: Code) -> bool:
    """Whether a side visibly does what `torch.where` and `torch.cond` cannot do."""
    sides = _sides(code)
    if sides is None:
        return False
    _, then, otherwise = sides
    return any(map(_does_more, (*then, *otherwise))) and Choices.of(code) is None


def _does_more(statement: ast.stmt) -> bool:
    match statement:
        case ast.For(body=body) | ast.With(body=body):
            more = any(map(_does_more, body))
        case ast.If(body=body, orelse=orelse):
            more = any(map(_does_more, (*body, *orelse)))
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript(value=whole)):
            more = ast.unparse(whole) == name  # of another shape
        case ast.Return(value=ast.expr() as value) | ast.Assign(value=value):
            more = _is_no_tensor(value)
        case ast.AugAssign(target=target, value=ast.Constant()):
            more = not isinstance(target, ast.Name)
        case _:
            calls = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            more = calls or isinstance(statement, ast.Return | ast.Delete)
    return more


def _is_no_tensor(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return isinstance(value.value, None | str | bool)
    is_made = isinstance(value, ast.JoinedStr | ast.List | ast.Dict | ast.Set)
    return is_made or called(value) in MODES


def _tailored(code: Code) -> str:
    sides = _sides(code)
    if sides is None:
        return ""
    test, then, otherwise = sides
    if flag := _flag(test):
        return (
            f"Where `{flag}` says whether this was done before: do it in the caller, once, before "
            "what is compiled is called; or keep the flag as a bool of Python (one more program, "
            "compiled once)."
        )
    condition = condition_of(code, test)
    return _decided(code, condition, then, otherwise) if condition else ""


def _decided(
    code: Code, condition: str, then: Sequence[ast.stmt], otherwise: Sequence[ast.stmt]
) -> str:
    match then, otherwise:
        case [ast.Return(value=None | ast.Constant() as value)], []:
            shown = ast.unparse(value) if value is not None else "None"
            return (
                f"Let the caller decide: return `{condition}` as well, a tensor, and `{shown}` in "
                "the caller, where it is true. What is below the branch runs in any case."
            )
        case [ast.Assign(targets=[target], value=ast.Constant(value=None))], []:
            name = ast.unparse(target)
            return (
                f"`torch.where` chooses no `None`. Leave the branch out, if `{name}` changes "
                f"nothing where `{condition}` is true; else let the caller decide, outside of the "
                "compiled function, whether it passes `None`."
            )
        case [ast.Assign(targets=[target], value=one)], [ast.Assign(value=two)] if all(
            map(_is_no_tensor, (one, two))
        ):
            name, values = ast.unparse(target), f"`{ast.unparse(one)}` and `{ast.unparse(two)}`"
            return (
                f"Keep the condition, `{condition}`, in the place of `{name}`: a tensor, by which "
                f"`torch.where` chooses between what {values} lead to; or let the caller decide, "
                "outside of the compiled function."
            )
        case [ast.Expr(value=value)], [] if runs_once(code) and (shown := code.shown(value)):
            return (
                f"Let the caller decide: return `{condition}` as well, a tensor, with what "
                f"`{shown}` needs, and do that in the caller, outside of the compiled function, "
                "where it is true."
            )
        case [ast.AugAssign(op=ast.Add(), value=ast.Constant(value=1)) as count], []:
            name = ast.unparse(count.target)
            return (
                f"Count in a tensor: `{name} += {condition}` in the place of the branch, from "
                "`torch.zeros((), dtype=torch.long)`; or return the condition, a tensor, and count "
                "in the caller."
            )
    return ""


def _flag(test: ast.expr) -> str:
    """``self.is_set``, a tensor that outlives the call; empty where it is another condition."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Attribute() as flag) | (ast.Attribute() as flag):
            return dotted_name(flag)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call() as call) | (ast.Call() as call):
            bare = without_numbers(call)
            return dotted_name(bare) if isinstance(bare, ast.Attribute) else ""
    return ""


ADVICE = (case("branch-decided", where=decides(_is_more), tailored=_tailored),)
