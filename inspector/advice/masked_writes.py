"""Writes of what a mask selects, whose gradient has a size that depends on the data."""

from __future__ import annotations

import ast
import dataclasses

from inspector.advice.advice import Advice
from inspector.advice.code import Code, widened
from inspector.advice.kinds import BACKEND
from inspector.advice.one_function import BY_ITSELF, CALLS_ALONE, under

_REPORT = r"Report an issue to the backend"
_CAPTURE = "capture_dynamic_output_shape_ops=True"


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


WRITE = Advice(
    id="masked-write",
    kinds=(BACKEND,),
    says=r"aten\.nonzero",
    where=lambda code: _write(code) is not None,
    tailored=_tailored,
    title="a write of what a mask selects, in a training step",
    fix="Use `out.masked_scatter_(mask, y)` instead of `out[mask] = y`, with "
    "`mask.unsqueeze(-1)` where the mask selects rows. The gradient of `out[mask] = y` reads what "
    "the mask selects, whose size depends on the data. To write one value to all selected "
    "elements, use `torch.where`.",
    keeps="The outputs and gradients.",
    instead_of=_REPORT,
    backend="aot_eager",
    tested_on=("2.13",),
)

CAPTURE = Advice(
    id="captured-sizes",
    kinds=(BACKEND,),
    says=r"aten\.nonzero",
    title="an operator whose size depends on the data, in a backward pass",
    fix=f"Put {under(_CAPTURE)}: the graph then holds operators whose size depends on the data.",
    keeps=f"The outputs and gradients. {BY_ITSELF} {CALLS_ALONE}",
    instead_of=_REPORT,
    backend="aot_eager",
    tested_on=("2.13",),
)

CAPTURE_WRITE = dataclasses.replace(
    CAPTURE, id="captured-size-of-write", other_way_of=("masked-write",)
)

ADVICE = (WRITE, CAPTURE, CAPTURE_WRITE)
