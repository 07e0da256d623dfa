"""Operators whose output shape depends on values."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice
from inspector.advice.code import Code, attribute, dotted_name, widened
from inspector.advice.edits import line_instead
from inspector.advice.effects import is_pure
from inspector.advice.kinds import CAPTURE_SHAPES, DYNAMIC_SHAPE
from inspector.advice.one_function import BY_ITSELF, CALLS_ALONE, under
from inspector.advice.size_of_one import KEEPS, caution
from inspector.advice.sized import Sized
from inspector.advice.sizes import decides_by_size, is_selection
from inspector.model.edit import Edit

_SETTING = "capture_dynamic_output_shape_ops=True"


def _finds_indices(node: ast.expr) -> bool:
    """``nonzero`` in one of its spellings; `where` with one argument is one."""
    match node:
        case ast.Call(func=ast.Attribute(attr="where"), args=[_], keywords=[]):
            return True
    return attribute("nonzero", "argwhere")(node)


def _stores_masked(code: Code) -> bool:
    """``y[m] = v[m]``: the break is in the value."""
    match code.statement:
        case ast.Assign(targets=[ast.Subscript(slice=mask)], value=ast.Subscript(slice=same)):
            return ast.dump(mask) == ast.dump(same)
    return False


def _stores_tailored(code: Code) -> str:
    line, name = _chosen(code)
    if not line:
        return ""
    if code.missing_dims is None:
        alike = f"the mask, the values and `{name}` all have one shape, and the values"
    else:
        alike = f"the values have the shape of `{name}`, and"
    return f"Choose instead of selecting: `{line}`, if {alike} the dtype of it."


def _stores_edits(code: Code) -> tuple[Edit, ...]:
    return line_instead(code, _chosen(code)[0])


def _chosen(code: Code) -> tuple[str, str]:
    """``y.copy_(torch.where(m, v, y))`` and ``y``; empty where that is not certain."""
    match code.statement:
        case ast.Assign(
            targets=[ast.Subscript(value=stored, slice=mask)], value=ast.Subscript(value=values)
        ) if dotted_name(stored) and is_pure(mask) and is_pure(values):
            name, shown = dotted_name(stored), (code.shown(mask), code.shown(values))
            if all(shown) and not isinstance(mask, ast.Constant):
                wide = widened(mask, code.missing_dims) if code.missing_dims else shown[0]
                return f"{name}.copy_(torch.where({wide}, {shown[1]}, {name}))", name
    return "", ""


_FIX = (
    f"To leave it where it is: {under(_SETTING)} makes the size a symbol of the graph, as long as "
    "no Python branch or loop depends on it."
)


def _captured_tailored(code: Code) -> str:
    said = caution(Sized(code, tensor=code.expression)) if code.expression else ""
    return f"{_FIX} {said}" if said else ""


_REDUCES = frozenset({"all", "amax", "amin", "any", "max", "min", "sum"})


def _is_reduced(code: Code) -> bool:
    """Whether all that is done with the selection is a reduction that a filling leaves as it is."""
    if code.statement is None:
        return True
    reduced = [
        node.func.value
        for node in ast.walk(code.function or code.statement)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _REDUCES
    ]
    if not code.target:
        own = set(map(id, ast.walk(code.statement)))
        return any(id(node) in own and _selects(node) for node in reduced)
    names = code.loads(code.target)
    return bool(names) and set(map(id, names)) <= set(map(id, reduced))


def _selects(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) or is_selection(node)


def _mask_tailored(code: Code) -> str:
    """A filling changes a mean, a loss, and what depends on the size."""
    return "" if _is_reduced(code) else _captured_tailored(code) or _FIX


MASK = Advice(
    id="boolean-mask",
    kinds=(DYNAMIC_SHAPE,),
    tailored=_mask_tailored,
    instead_of=CAPTURE_SHAPES,
    says=r"aten\.(?:nonzero|index|masked_select)",
    title="a selection by a boolean mask",
    fix="Keep the full shape and mask what is not selected: `torch.where(mask, x, 0)`, or "
    "`x.masked_fill(~mask, 0)`, before a reduction; the mask needs the shape of `x` "
    "(`mask.unsqueeze(-1)` where it chooses rows).",
    keeps="The outputs, where the filling does not change the reduction: 0 for a sum, `-inf` for a "
    "maximum; a mean is the sum divided by `mask.sum()`.",
)

CAPTURE = Advice(
    id="dynamic-shape-captured",
    kinds=(DYNAMIC_SHAPE,),
    title="an operator whose output shape depends on values",
    fix=_FIX,
    tailored=_captured_tailored,
    where=lambda code: not decides_by_size(code),
    holds_elsewhere=True,
    keeps="The outputs, but for sizes of 1. Python code behind it that needs to know the size "
    f"breaks the graph there instead. {KEEPS} {CALLS_ALONE} {BY_ITSELF}",
    other_way_of=(
        "boolean-mask",
        "nonzero",
        "masked-store",
        "masked-update",
        "unique",
        "bincount",
        "combinations",
    ),
    instead_of=CAPTURE_SHAPES,
)


STORE = Advice(
    id="masked-store",
    kinds=(DYNAMIC_SHAPE,),
    instead_of=CAPTURE_SHAPES,
    where=_stores_masked,
    title="masked values stored through the same mask",
    fix="Choose instead of selecting: `y.copy_(torch.where(mask, values, y))`, with a mask of the "
    "shape of `y` (`mask.unsqueeze(-1)` where it chooses rows).",
    tailored=_stores_tailored,
    edits=_stores_edits,
    keeps="The values and their gradients, and that all who hold `y` see them. The mask, the "
    "values and `y` must have one shape: a mask of rows would be taken for one of columns.",
)

NONZERO = Advice(
    id="nonzero",
    kinds=(DYNAMIC_SHAPE,),
    instead_of=CAPTURE_SHAPES,
    says=r"aten\.nonzero",
    where=lambda code: code.has(_finds_indices),
    title="the indices of what is not zero",
    fix="Use the mask itself instead of the indices that it has: `torch.where(mask, a, b)`; or, "
    "where at most k of them are wanted, `torch.nonzero_static(mask, size=k)`, which fills up with "
    "-1.",
    keeps="The outputs.",
)

ADVICE = (STORE, NONZERO, MASK, CAPTURE)
