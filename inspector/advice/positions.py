"""Positions in a buffer that tensors hold: ``ptr = int(self.ptr)``, ``queue[:, ptr : ptr + n]``."""

from __future__ import annotations

import ast
import dataclasses

from inspector.advice.advice import case
from inspector.advice.code import Code, dotted_name
from inspector.advice.numbers import is_number_of


@dataclasses.dataclass(frozen=True, slots=True)
class _Store:
    """``queue[:, at : at + count] = values``.

    Attributes:
        buffer: What is stored into.
        dim: The dimension that is cut.
        count: How many are stored, or None where it does not say.
    """

    statement: ast.Assign
    buffer: ast.expr
    dim: int
    count: ast.expr | None
    values: ast.expr


def _store(code: Code) -> _Store | None:
    """The first statement of the function that stores behind the position."""
    name = code.target
    if not name or code.function is None or _held(code) is None:
        return None
    for node in ast.walk(code.function):
        match node:
            case ast.Assign(targets=[ast.Subscript(value=buffer, slice=index)], value=values):
                parts = index.elts if isinstance(index, ast.Tuple) else [index]
                cuts = [n for n, part in enumerate(parts) if _begins_at(part, name)]
                if len(cuts) == 1 and all(_is_whole(p) for p in parts[: cuts[0]]):
                    cut = parts[cuts[0]]
                    return _Store(node, buffer, cuts[0], _count(cut, name), values)
    return None


def _held(code: Code) -> ast.expr | None:
    """The tensor that holds the position: ``self.ptr`` of ``int(self.ptr)``; else None."""
    number = code.find(lambda node: is_number_of(node, "int"))
    match number:
        case ast.Call(func=ast.Attribute(value=value, attr="item")):
            held = value
        case ast.Call(args=[value]):
            held = value
        case _:
            return None
    return held if isinstance(held, ast.Name | ast.Attribute) and dotted_name(held) else None


def _begins_at(part: ast.expr, name: str) -> bool:
    return (
        isinstance(part, ast.Slice) and isinstance(part.lower, ast.Name) and part.lower.id == name
    )


def _is_whole(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None


def _count(part: ast.expr, name: str) -> ast.expr | None:
    match part:
        case ast.Slice(upper=ast.BinOp(left=ast.Name(id=left), op=ast.Add(), right=count)):
            return count if left == name else None
    return None


def _tailored(code: Code) -> str:
    store, held = _store(code), code.shown(_held(code))
    if store is None:
        return ""
    buffer, values = dotted_name(store.buffer), code.shown(store.values)
    count, shown = code.shown(store.count), ast.unparse(store.statement)
    if not all((buffer, values, count, held)) or "\n" in shown:
        return ""
    return (
        f"Keep the position a tensor: `places = {held} + torch.arange({count}, "
        f"device={buffer}.device)`, and `{buffer}.index_copy_({store.dim}, places, {values})` "
        f"instead of `{shown}`; calculate the next position of `{held}` itself, and write it into "
        "it with `copy_`."
    )


ADVICE = (
    case("position-in-buffer", where=lambda code: _store(code) is not None, tailored=_tailored),
)
