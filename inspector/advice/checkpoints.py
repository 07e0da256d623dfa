"""Code under activation checkpointing, where a graph cannot end."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code
from inspector.advice.logged_scalars import is_told


def _leaves(code: Code) -> bool:
    """Whether the value leaves the function by another way than its result."""
    return is_told(code) or not code.has(_is_number)


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="item") | ast.Name(id="float" | "int")):
            return True
    return False


def _tailored(code: Code) -> str:
    match code.statement:
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target], value=value):
            pass
        case _:
            return ""
    match value:
        case (
            ast.Call(func=ast.Attribute(value=tensor, attr="item"))
            | ast.Call(func=ast.Name(id="float" | "int"), args=[tensor])
        ):
            new, then = f"{code.shown(tensor)}.detach()", " Read its number in the caller."
        case _:
            new, then = code.shown(value), ""
    return (
        f"Return `{new}` as a second result of the checkpointed function, and store it in "
        f"`{code.shown(target)}` where `checkpoint` returns it.{then}"
    )


ADVICE = (
    case("checkpointed-value", where=_leaves, tailored=_tailored),
    case("checkpoint-sequential"),
)
