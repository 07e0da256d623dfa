"""Writes of what a mask selects, whose gradient has a size that depends on the data."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code, widened


def _write(code: Code) -> tuple[ast.Subscript, ast.expr] | None:
    """The ``out[rows] = z`` that the statement is; None where it is another one."""
    match code.statement:
        case ast.Assign(targets=[ast.Subscript(slice=index) as target], value=value):
            chosen = isinstance(index, ast.Constant | ast.Slice | ast.Tuple)
            return None if chosen else (target, value)
    return None


def _tailored(code: Code) -> str:
    write = _write(code)
    shown = code.shown(code.statement)
    if write is None or not shown:
        return ""
    target, value = write
    name, mask, stored = map(ast.unparse, (target.value, target.slice, value))
    if code.missing_dims is None:
        rows = widened(target.slice, 1)
        said = (
            f"Use `{name}.masked_scatter_({rows}, {stored})` instead of `{shown}` if the mask "
            f"selects rows, `{name}.masked_scatter_({mask}, {stored})` if it has the shape of "
            f"`{name}`."
        )
    else:
        mask = widened(target.slice, code.missing_dims)
        said = f"Use `{name}.masked_scatter_({mask}, {stored})` instead of `{shown}`."
    return (
        f"{said} Its gradient has a fixed size. To write one value to all selected elements, "
        "use `torch.where`."
    )


CAPTURE = case("captured-sizes")


ADVICE = (
    case("masked-write", where=lambda code: _write(code) is not None, tailored=_tailored),
    CAPTURE,
    case("captured-size-of-write"),
)
