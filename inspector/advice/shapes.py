"""Operators whose output shape depends on values."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code, attribute, dotted_name, widened
from inspector.advice.edits import line_instead
from inspector.advice.effects import is_pure
from inspector.advice.one_function import under
from inspector.advice.sizes import caution, decides_by_size, is_selection
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
    f"Put {under(_SETTING)}. The size is then a symbol of the graph, as long as no Python branch "
    "or loop depends on it."
)


def _captured_tailored(code: Code) -> str:
    said = caution(code)
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


ADVICE = (
    case("masked-store", where=_stores_masked, tailored=_stores_tailored, edits=_stores_edits),
    case("nonzero", where=lambda code: code.has(_finds_indices)),
    case("boolean-mask", tailored=_mask_tailored),
    case(
        "dynamic-shape-captured",
        where=lambda code: not decides_by_size(code),
        tailored=_captured_tailored,
    ),
)
