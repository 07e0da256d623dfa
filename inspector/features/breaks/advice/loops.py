"""Loops whose steps depend on values, and positions in a buffer that tensors hold."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.conditions import decides
from inspector.features.breaks.advice.numbers import is_number_of, tensor_of
from inspector.report.user_code.code import Code, called, dotted_name, names_of


def _goes(code: Code, *kinds: type[ast.stmt]) -> bool:
    """Whether a branch leaves the step of the loop around it in one of these ways."""
    if not isinstance(code.statement, ast.If):
        return False
    return any(isinstance(node, kinds) for node in _of_this_loop(code.statement))


def _of_this_loop(statement: ast.stmt) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            yield child
            if not isinstance(child, ast.For | ast.AsyncFor | ast.While | ast.FunctionDef):
                yield from _of_this_loop(child)


def _is_range(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and dotted_name(node.func) == "range"


def _bounds_loop(code: Code) -> bool:
    """Whether the number that is made here says how often a loop runs."""
    ranges = [node for node in code.header() if _is_range(node)]
    if ranges:
        inner = [node for found in ranges for node in ast.walk(found)]
        return code.expression is None or code.expression in inner
    tests = [node.test for node in code.walk() if isinstance(node, ast.While)]
    bounds = [*tests, *filter(_is_range, code.walk())]
    return bool(code.target) and any(code.target in names_of(node) for node in bounds)


# Loops that go on while values leave something over: the suppression of boxes that overlap.
_SELECTING = frozenset({"argwhere", "masked_select", "nonzero", "where"})


def _is_in_shrinking_loop(code: Code) -> bool:
    """Whether the statement is in a loop that goes on while a selection has elements."""
    loops = [node for node in code.walk() if isinstance(node, ast.While)]
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
        for name in names_of(loop.test)
        for value in values.get(name, ())
        for inner in ast.walk(value)
    )


def _is_selection(node: ast.AST) -> bool:
    """Whether something is, or is made of, what values compare to, or where they are found."""
    return any(
        isinstance(inner, ast.Compare) or called(inner) in _SELECTING for inner in ast.walk(node)
    )


def _selects(node: ast.AST, masks: set[str]) -> bool:
    match node:
        case ast.Subscript(slice=index) if not isinstance(index, ast.Slice):
            return _is_selection(index) or not masks.isdisjoint(names_of(index))
    return called(node) == "masked_select"


@dataclasses.dataclass(frozen=True, slots=True)
class _Store:
    """``queue[:, at : at + count] = values``, behind ``at = int(self.ptr)``.

    Attributes:
        held: The tensor that holds the position.
        dim: The dimension that is cut.
    """

    held: ast.expr
    statement: ast.Assign
    buffer: ast.expr
    dim: int
    count: ast.expr | None
    values: ast.expr


def _store(code: Code) -> _Store | None:
    """The first statement of the function that stores behind the position."""
    held = tensor_of(code.find(lambda node: is_number_of(node, "int")))
    name = code.target
    if not name or not isinstance(held, ast.Name | ast.Attribute) or not dotted_name(held):
        return None
    for node in code.walk():
        match node:
            case ast.Assign(targets=[ast.Subscript(value=buffer, slice=index)], value=values):
                parts = index.elts if isinstance(index, ast.Tuple) else [index]
                cuts = [n for n, part in enumerate(parts) if _begins_at(part, name)]
                if len(cuts) == 1 and all(ast.unparse(part) == ":" for part in parts[: cuts[0]]):
                    count = _count(parts[cuts[0]], name)
                    return _Store(held, node, buffer, cuts[0], count, values)
    return None


def _begins_at(part: ast.expr, name: str) -> bool:
    match part:
        case ast.Slice(lower=ast.Name(id=lower)):
            return lower == name
    return False


def _count(part: ast.expr, name: str) -> ast.expr | None:
    match part:
        case ast.Slice(upper=ast.BinOp(left=ast.Name(id=left), op=ast.Add(), right=count)):
            return count if left == name else None
    return None


def _stored_tailored(code: Code) -> str:
    store = _store(code)
    if store is None:
        return ""
    buffer, shown = dotted_name(store.buffer), ast.unparse(store.statement)
    held, values, count = map(code.shown, (store.held, store.values, store.count))
    if not all((buffer, values, count, held)) or "\n" in shown:
        return ""
    return (
        f"Keep the position a tensor: `places = {held} + torch.arange({count}, "
        f"device={buffer}.device)`, and `{buffer}.index_copy_({store.dim}, places, {values})` "
        f"instead of `{shown}`; calculate the next position of `{held}` itself, and write it into "
        "it with `copy_`."
    )


LOOPS = (
    case(
        "branch-break",
        where=decides(
            lambda code: _goes(code, ast.Break) or (_goes(code, ast.Return) and code.is_in_loop())
        ),
    ),
    case("branch-continue", where=decides(lambda code: _goes(code, ast.Continue))),
    case("tensor-as-count", where=_bounds_loop),
)
SHRINKING = (case("shrinking-loop", where=_is_in_shrinking_loop),)
POSITIONS = (
    case(
        "position-in-buffer", where=lambda code: _store(code) is not None, tailored=_stored_tailored
    ),
)
