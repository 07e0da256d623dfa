"""Loops that go on while values leave something over: the suppression of boxes that overlap."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code
from inspector.advice.conditions import names_in

_SELECTING = frozenset({"argwhere", "masked_select", "nonzero", "where"})


def _is_in_shrinking_loop(code: Code) -> bool:
    """Whether the statement is in a loop that goes on while a selection has elements."""
    loops = [node for node in ast.walk(code.function or ast.Pass()) if isinstance(node, ast.While)]
    around = [loop for loop in loops if any(node is code.statement for node in ast.walk(loop))]
    return any(map(_shrinks, around))


def _shrinks(loop: ast.While) -> bool:
    """Whether a name of the condition is set, in the loop, to what a mask selects."""
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(loop):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values.setdefault(name, []).append(value)
    masks = {name for name, found in values.items() if any(map(_is_selection, found))}
    return any(
        _selects(inner, masks)
        for name in names_in(loop.test)
        for value in values.get(name, ())
        for inner in ast.walk(value)
    )


def _is_selection(node: ast.AST) -> bool:
    """Whether something is, or is made of, what values compare to, or where they are found."""
    return any(
        isinstance(inner, ast.Compare)
        or (
            isinstance(inner, ast.Call)
            and isinstance(inner.func, ast.Attribute)
            and inner.func.attr in _SELECTING
        )
        for inner in ast.walk(node)
    )


def _selects(node: ast.AST, masks: set[str]) -> bool:
    match node:
        case ast.Subscript(slice=index) if not isinstance(index, ast.Slice):
            return _is_selection(index) or bool(masks.intersection(names_in(index)))
        case ast.Call(func=ast.Attribute(attr="masked_select")):
            return True
    return False


ADVICE = (case("shrinking-loop", where=_is_in_shrinking_loop),)
