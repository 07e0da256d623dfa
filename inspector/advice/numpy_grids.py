"""NumPy's objects that are indexed to make arrays: ``np.mgrid[0:h, 0:w]``."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice
from inspector.advice.code import Code, dotted_name
from inspector.advice.kinds import INLINED

_GRIDS = frozenset({"mgrid", "ogrid", "r_", "c_"})


def _is_grid(node: ast.expr) -> bool:
    match node:
        case ast.Subscript(value=value):
            module, _, name = dotted_name(value).rpartition(".")
            return module in {"np", "numpy"} and name in _GRIDS
    return False


def _tailored(code: Code) -> str:
    """In the user's words where the sizes of a grid are whole numbers, as far as one can see."""
    found = code.find(_is_grid)
    if not isinstance(found, ast.Subscript) or not dotted_name(found.value).endswith(".mgrid"):
        return ""
    parts = found.slice.elts if isinstance(found.slice, ast.Tuple) else []
    ranges = [_range(code, part) for part in parts]
    old = code.shown(found)
    if not ranges or not all(ranges) or not old:
        return ""
    grids = f'torch.meshgrid({", ".join(ranges)}, indexing="ij")'
    return (
        f"Write it with torch, and without `torch.from_numpy`: `torch.stack({grids})` instead of "
        f"`{old}`, on the device of the rest."
    )


def _range(code: Code, part: ast.expr) -> str:
    """``torch.arange(a, b)`` of ``a:b``; empty for what counts otherwise."""
    match part:
        case ast.Slice(lower=lower, upper=ast.expr() as upper, step=None):
            ends = [end for end in (lower, upper) if end is not None]
            fractions = [node for end in ends for node in ast.walk(end) if _is_fraction(node)]
            shown = [code.shown(end) for end in ends]
            if not fractions and all(shown):
                return f"torch.arange({', '.join(shown)})"
    return ""


def _is_fraction(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=value):
            return not isinstance(value, int)
        case ast.BinOp(op=ast.Div()):
            return True
    return False


GRID = Advice(
    id="numpy-grid",
    kinds=(INLINED,),
    where=lambda code: code.has(_is_grid),
    title="a grid of NumPy's",
    fix='Write it with torch: `torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")` '
    "for `np.mgrid[0:h, 0:w]`, `torch.arange(h).unsqueeze(1)` and `torch.arange(w)` for "
    "`np.ogrid`, `torch.cat` for `np.r_`, `torch.column_stack` for `np.c_`.",
    tailored=_tailored,
    keeps="The outputs. A step such as `5j` counts points: that is `torch.linspace`, with "
    "`dtype=torch.float64` for what NumPy computes.",
    instead_of=r"nd_grid|Concatenator|dont_skip_tracing|CClass|RClass",
)

ADVICE = (GRID,)
