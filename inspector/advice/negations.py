"""``not``, ``and`` and ``or`` of tensors whose result has a name, or is part of a value."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice
from inspector.advice.branches import CHOOSE
from inspector.advice.choice_code import tensor_names
from inspector.advice.code import Code, header
from inspector.advice.conditions import condition_of, names_in
from inspector.advice.edits import instead_of
from inspector.advice.kinds import BRANCH, BRANCH_HINTS, DATA_DEPENDENT, ON_TENSOR
from inspector.model.edit import Edit


def _negated(code: Code) -> ast.expr | None:
    """The outermost expression of ``not``, ``and`` and ``or`` with a ``not`` in it, or None."""
    here = header(code.statement) if code.statement is not None else ()
    for node in here:  # breadth first
        if isinstance(node, ast.UnaryOp | ast.BoolOp) and any(map(_is_not, ast.walk(node))):
            return node
    return None


def _is_not(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _as_tensor(code: Code, node: ast.expr | None) -> str:
    """An expression as a tensor of one bool; empty where that is not certain."""
    return condition_of(code, node, tensor_names(code, node)) if node is not None else ""


def _kept(code: Code, node: ast.expr | None) -> str:
    """How to keep it a tensor."""
    new, old = _as_tensor(code, node), code.shown(node)
    if not new or not old:
        return ""
    said = f"Keep it a tensor: `{new}` instead of `{old}`"
    by_it = f", and choose by it instead of branching. {CHOOSE}" if _decides_below(code) else ""
    return f"{said}{by_it}."


def _edits(code: Code, node: ast.expr | None) -> tuple[Edit, ...]:
    return instead_of(code, node, _as_tensor(code, node)) if node is not None else ()


def _decides_below(code: Code) -> bool:
    """Whether a branch decides by the name that the statement gives to it."""
    name = code.target
    nodes = ast.walk(code.function) if code.function and name else ()
    tests = [node.test for node in nodes if isinstance(node, ast.If | ast.IfExp)]
    return any(name in names_in(test) for test in tests)


NOT = Advice(
    id="not-of-tensor",
    kinds=(DATA_DEPENDENT,),
    where=lambda code: bool(_as_tensor(code, _negated(code))),
    title="not of a tensor",
    fix="Keep it a tensor: `x.any().logical_not()` instead of `not x.any()`, with `&` and `|` for "
    f"`and` and `or`. {CHOOSE}.",
    tailored=lambda code: _kept(code, _negated(code)),
    edits=lambda code: _edits(code, _negated(code)),
    keeps="The outputs and gradients. `not`, `and` and `or` need a Python bool, whatever is done "
    "with it; both sides of what was a branch are computed.",
    instead_of=r"capture_scalar_outputs",
)


def _both(code: Code) -> ast.BoolOp | None:
    """``and`` or ``or`` whose value is kept, where nothing branches by it yet."""
    if not isinstance(code.statement, ast.Assign | ast.Return):
        return None
    here = list(header(code.statement))
    found = [node for node in here if isinstance(node, ast.BoolOp)]
    branches = any(isinstance(node, ast.IfExp) for node in here)
    return found[0] if found and not branches else None


AND_OR = Advice(
    id="and-or-of-tensors",
    kinds=(BRANCH,),
    says=ON_TENSOR,
    where=lambda code: _both(code) is not None,
    title="and, or the like, of tensors",
    fix="Keep it a tensor: `(a > 0) & (b > 0)` instead of `a > 0 and b > 0`, `|` for `or`, with "
    f"parentheses around each side. {CHOOSE}.",
    tailored=lambda code: _kept(code, _both(code)),
    edits=lambda code: _edits(code, _both(code)),
    keeps="The outputs and gradients. `and` and `or` ask a tensor for its value, to know whether "
    "the other side is needed; `&` and `|` compute both, and give a tensor.",
    instead_of=rf"{BRANCH_HINTS}|^Note: Python",
)

ADVICE = (NOT, AND_OR)
