"""What replaces branches, assertions, and ``not``, ``and``, ``or`` of tensors."""

import ast

from inspector.features.breaks.advice.choice_code import tensor_names
from inspector.features.breaks.advice.choices import Choices
from inspector.features.breaks.advice.conditions import condition_of, without_numbers
from inspector.features.breaks.advice.edits import (
    Fix,
    instead_of,
    line_instead,
    statements_instead_of,
)
from inspector.features.breaks.advice.reports import reports
from inspector.report.user_code.code import Code, names_of, written

_CHOOSE = (
    "If both sides may run, and neither has side effects (writes, random numbers, updated "
    "statistics), compute both and select with `torch.where(condition, a, b)`. `a` and `b` must "
    "have the same shape and dtype"
)
_is_not = written("not _")


def choice(code: Code) -> Fix:
    """A branch as `torch.where`; where it does more, its condition as a tensor."""
    found = Choices.of(code)
    if found is None:
        return Fix()
    return Fix(found.text, statements_instead_of(code, code.statement, found.lines))


def choice_by_number(code: Code) -> Fix:
    """A branch on a number as `torch.where`."""
    if (found := choice(code)).text:
        return found
    tests = [node.test for node in code.header() if isinstance(node, ast.If | ast.IfExp)]
    condition = condition_of(code, tests[0]) if len(tests) == 1 else ""
    text = (
        f"Use the tensor `{condition}` itself as the condition, without converting it to a Python "
        f"number. {_CHOOSE}."
    )
    return Fix(text) if condition else Fix()


def negation(code: Code) -> ast.expr | None:
    """The outermost expression of ``not``, ``and`` and ``or`` with a ``not`` in it, or None."""
    for node in code.header():  # breadth first
        if isinstance(node, ast.UnaryOp | ast.BoolOp) and any(map(_is_not, ast.walk(node))):
            return node if _as_tensor(code, node) else None
    return None


def conjunction(code: Code) -> ast.expr | None:
    """``and`` or ``or`` whose value is kept, where nothing branches by it yet."""
    here = list(code.header())
    found = [node for node in here if isinstance(node, ast.BoolOp)]
    branches = any(isinstance(node, ast.IfExp) for node in here)
    is_kept = isinstance(code.statement, ast.Assign | ast.Return)
    return found[0] if is_kept and found and not branches else None


def bool_tensor(code: Code) -> Fix:
    """How to keep a bool a tensor, and to choose by it where a branch decides by its name."""
    node = negation(code) or conjunction(code)
    new, old = _as_tensor(code, node), code.shown(node)
    if node is None or not new or not old:
        return Fix()
    tests = [node.test for node in code.walk() if isinstance(node, ast.If | ast.IfExp)]
    is_decided_by = any(code.target in names_of(test) for test in tests)
    by_it = f", and select with it instead of branching. {_CHOOSE}" if is_decided_by else ""
    text = f"Keep it as a tensor: `{new}` instead of `{old}`{by_it}."
    return Fix(text, instead_of(code, node, new))


def _as_tensor(code: Code, node: ast.expr | None) -> str:
    """An expression as a tensor of one bool; empty where that is not certain."""
    return condition_of(code, node, tensor_names(code, node)) if node is not None else ""


def assertion(code: Code) -> Fix:
    """An assertion that torch checks in the graph, for one of values or a branch that raises."""
    line = _assertion(code)
    when = (
        "Assert on a tensor, with a constant message or no message"
        if isinstance(code.statement, ast.Assert)
        else "If another error type is acceptable, assert on a tensor"
    )
    text = (
        f"{when}: `{line}`. torch checks it in the graph and raises a RuntimeError. On a GPU, the "
        "error surfaces after this line and leaves CUDA unusable in this process."
    )
    return Fix(text, line_instead(code, line)) if line else Fix()


def _assertion(code: Code) -> str:
    """``assert condition, "message"``; torch takes tensors and constant messages alone."""
    message: ast.expr | None = None
    match code.statement:
        case ast.Assert(test=test, msg=message):
            shown = condition_of(code, test)
        case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=test), orelse=[]):
            shown = condition_of(code, test)
        case ast.If(test=test, orelse=[]) if shown := condition_of(code, test):
            # `any` and `all` of unsigned bytes are bytes: ~ of one is true, whatever it is.
            bare = without_numbers(test)
            whole = shown if isinstance(bare, ast.Call) else f"({shown})"
            is_bool = isinstance(bare, ast.Compare)
            shown = f"~{whole}" if is_bool else f"{whole}.logical_not()"
        case _:
            return ""
    match raised(code):
        case ast.Raise(exc=ast.Call(args=[message, *_])):
            pass
    is_constant = isinstance(message, ast.Constant) and isinstance(message.value, str)
    text = code.shown(message) if is_constant else ""
    return f"assert {shown}{f', {text}' if text else ''}" if shown else ""


def raised(code: Code) -> ast.Raise | None:
    """What a branch ends with that does nothing but raise, and report before."""
    match code.statement:
        case ast.If(body=[*before, ast.Raise() as found]) if not before or reports(code, before):
            return found
    return None
