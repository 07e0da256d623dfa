"""``not``, ``and`` and ``or`` of tensors whose result has a name, or is part of a value."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.branches import CHOOSE
from inspector.advice.choice_code import tensor_names
from inspector.advice.code import Code, header
from inspector.advice.conditions import condition_of, names_in
from inspector.advice.edits import instead_of
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


def _both(code: Code) -> ast.BoolOp | None:
    """``and`` or ``or`` whose value is kept, where nothing branches by it yet."""
    if not isinstance(code.statement, ast.Assign | ast.Return):
        return None
    here = list(header(code.statement))
    found = [node for node in here if isinstance(node, ast.BoolOp)]
    branches = any(isinstance(node, ast.IfExp) for node in here)
    return found[0] if found and not branches else None


ADVICE = (
    case(
        "not-of-tensor",
        where=lambda code: bool(_as_tensor(code, _negated(code))),
        tailored=lambda code: _kept(code, _negated(code)),
        edits=lambda code: _edits(code, _negated(code)),
    ),
    case(
        "and-or-of-tensors",
        where=lambda code: _both(code) is not None,
        tailored=lambda code: _kept(code, _both(code)),
        edits=lambda code: _edits(code, _both(code)),
    ),
)
