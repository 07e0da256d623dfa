"""Python's control flow on the values of tensors, and ``not``, ``and`` and ``or`` of them."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.branch_values import Chosen, chosen_between
from inspector.features.breaks.advice.choice_code import tensor_names
from inspector.features.breaks.advice.choices import Choices
from inspector.features.breaks.advice.conditions import condition_of
from inspector.features.breaks.advice.edits import instead_of, line_instead
from inspector.features.breaks.advice.numbers import Uses, tensors_in
from inspector.report.user_code.code import Code, names_of, written
from inspector.shared.edit import Edit


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float()):
            return True
        case ast.UnaryOp(op=ast.USub(), operand=value):
            return _is_number(value)
    return False


def choice(code: Code, scalars: Mapping[str, str] | None = None) -> str:
    """``x = torch.where(…)`` for a branch that only chooses between two tensors, or nothing."""
    found = Choices.of(code, scalars)
    if found is None or len(found.lines) > 1:
        return ""
    return "" if found.conditions or found.instead_of or found.within else found.lines[0]


def _tailored(code: Code) -> str:
    found = Choices.of(code)
    return found.said if found is not None else chosen_number(code)


def edits_of_choice(code: Code) -> tuple[Edit, ...]:
    """The choice, or that of two numbers, in the place of the branch."""
    found = Choices.of(code, guards=True) or Choices.of(code)  # a line may grow too long
    return found.edits(code) if found is not None else line_instead(code, _chosen_number(code)[0])


def _edits_of_cond(code: Code) -> tuple[Edit, ...]:
    found = Choices.of(code)
    return line_instead(code, found.only_one if found else "")


def _only_one(code: Code) -> str:
    found = Choices.of(code)
    return f"{_ONE_SIDE}: `{found.only_one}`; {_BOTH_NEW}" if found and found.only_one else ""


_ONE_SIDE = "Where only one side may run"
_BOTH_NEW = "both functions return new tensors of one shape and dtype."
CHOOSE = (
    "If both sides may run, and neither writes anywhere, draws random numbers or updates "
    "statistics: compute both and choose with `torch.where(condition, a, b)`, for tensors `a` and "
    "`b` of one shape and dtype"
)
"""What is advised in general, without a full stop."""


def chosen_number(code: Code) -> str:
    """Two numbers, where all that is done with them is arithmetic with the tensor of the branch."""
    line, tensor = _chosen_number(code)
    return (
        f"Choose between tensors of the dtype of `{tensor}`: `{line}`, if `{tensor}` is a tensor "
        "of floating-point numbers, and stays one."
        if line
        else ""
    )


def _chosen_number(code: Code) -> tuple[str, str]:
    """The statement, and the tensor with which they are calculated; empty where it is none."""
    match chosen_between(code):
        case test, (Chosen(target=begin, then=value, otherwise=other),):
            condition = condition_of(code, test, tensor_names(code, test))
            name = begin.rpartition(" = ")[0]
        case _:
            return "", ""
    if not condition or not name or not _is_number(value) or not _is_number(other):
        return "", ""
    for tensor in sorted(tensors_in(test) or _tensors_behind(code, test)):
        uses = Uses(code, frozenset({tensor}))
        if uses.allow_tensor_in(name) and not uses.changes:
            one, two = (f"{tensor}.new_tensor({ast.unparse(side)})" for side in (value, other))
            return f"{name} = torch.where({condition}, {one}, {two})", tensor
    return "", ""


def _tensors_behind(code: Code, test: ast.expr) -> frozenset[str]:
    """The tensors of which the names in a condition are made, where each is made once."""
    made = [setter for name in names_of(test) for setter in code.setters(name)]
    values = [each.value for each in made if isinstance(each, ast.Assign)]
    return tensors_in(values[0]) if len(made) == len(values) == 1 else frozenset()


def _negated(code: Code) -> ast.expr | None:
    """The outermost expression of ``not``, ``and`` and ``or`` with a ``not`` in it, or None."""
    for node in code.header():  # breadth first
        if isinstance(node, ast.UnaryOp | ast.BoolOp) and any(map(_is_not, ast.walk(node))):
            return node
    return None


_is_not = written("not _")


def _as_tensor(code: Code, node: ast.expr | None) -> str:
    """An expression as a tensor of one bool; empty where that is not certain."""
    return condition_of(code, node, tensor_names(code, node)) if node is not None else ""


def _kept(code: Code, node: ast.expr | None) -> str:
    """How to keep it a tensor, and to choose by it where a branch decides by its name."""
    new, old = _as_tensor(code, node), code.shown(node)
    if not new or not old:
        return ""
    tests = [node.test for node in code.walk() if isinstance(node, ast.If | ast.IfExp)]
    is_decided_by = any(code.target in names_of(test) for test in tests)
    by_it = f", and choose by it instead of branching. {CHOOSE}" if is_decided_by else ""
    return f"Keep it a tensor: `{new}` instead of `{old}`{by_it}."


def _kept_edits(code: Code, node: ast.expr | None) -> tuple[Edit, ...]:
    return instead_of(code, node, _as_tensor(code, node)) if node is not None else ()


def _both(code: Code) -> ast.BoolOp | None:
    """``and`` or ``or`` whose value is kept, where nothing branches by it yet."""
    here = list(code.header())
    found = [node for node in here if isinstance(node, ast.BoolOp)]
    branches = any(isinstance(node, ast.IfExp) for node in here)
    is_kept = isinstance(code.statement, ast.Assign | ast.Return)
    return found[0] if is_kept and found and not branches else None


NEGATIONS = (
    case(
        "not-of-tensor",
        where=lambda code: bool(_as_tensor(code, _negated(code))),
        tailored=lambda code: _kept(code, _negated(code)),
        edits=lambda code: _kept_edits(code, _negated(code)),
    ),
    case(
        "and-or-of-tensors",
        where=lambda code: _both(code) is not None,
        tailored=lambda code: _kept(code, _both(code)),
        edits=lambda code: _kept_edits(code, _both(code)),
    ),
)
WHERE = case("branch-where", tailored=_tailored, edits=edits_of_choice)
COND = case("branch-cond", tailored=_only_one, edits=_edits_of_cond)
BRANCHES = (WHERE, COND)
