"""Code under activation checkpointing, where a graph cannot end."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import Code
from inspector.advice.kinds import BUILTIN, ITEM, SKIPPED
from inspector.advice.logged_scalars import is_told

_LOGGER = Kind("GB0291", "logging.Logger method not supported for non-export cases")
_SIDE_EFFECT = Kind("GB0067", "HOP: Unsafe side effect")


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


STORED = Advice(
    id="checkpointed-value",
    tested_on=("2.13",),
    kinds=(ITEM, _SIDE_EFFECT, _LOGGER, BUILTIN),
    says=r"(?s)\A(?!.*builtin(?! (?:operator )?`?print\b)).*utils\.checkpoint",
    where=_leaves,
    title="a value that leaves a checkpointed function",
    fix="Return the value (`t.detach()` for a number) as a second result of the checkpointed "
    "function. Store it where `checkpoint` returns it; print it, log it or read its number in the "
    "caller, outside of the compiled function.",
    tailored=_tailored,
    keeps="Outputs and gradients. The backward pass runs the function again, and prints, logs and "
    "appends again; a result is returned once.",
    instead_of=r"capture_scalar|reorderable_logging|ignore_logging|^Avoid calling|report an issue",
)


SEQUENTIAL = Advice(
    id="checkpoint-sequential",
    tested_on=("2.13",),
    kinds=(SKIPPED,),
    says=r"checkpoint_sequential",
    title="checkpoint_sequential in compiled code",
    fix="Call `checkpoint` for each segment in a loop instead: torch traces `checkpoint`, and runs "
    "`checkpoint_sequential` eagerly.",
    keeps="Outputs and gradients. `checkpoint_sequential` does not checkpoint the last segment.",
    instead_of=r"^Avoid calling|dont_skip_tracing|file an issue",
)

ADVICE = (STORED, SEQUENTIAL)
