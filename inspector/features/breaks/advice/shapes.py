"""Operators whose output shape depends on values."""

from __future__ import annotations

import ast

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.edits import line_instead
from inspector.features.breaks.advice.effects import is_pure
from inspector.features.breaks.advice.sizes import caution, decides_by_size, is_selection
from inspector.features.recompiles.around_calls import under
from inspector.report.user_code.code import Code, attribute, called, dotted_name, widened, written

_is_where = written("_.where(_)")
_is_nonzero = attribute("nonzero", "argwhere")


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
    f"Put {under('capture_dynamic_output_shape_ops=True')}. The size is then a symbol of the "
    "graph, as long as no Python branch or loop depends on it."
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
        selected = (node for node in reduced if id(node) in own)
        return any(isinstance(node, ast.Subscript) or is_selection(node) for node in selected)
    names = code.loads(code.target)
    return bool(names) and set(map(id, names)) <= set(map(id, reduced))


def _bincount_tailored(code: Code) -> str:
    """In the user's names where nothing is weighed: weights have a dtype of their own."""
    match code.find(lambda node: called(node) == "bincount"):
        case ast.Call(func=ast.Attribute(value=owner), args=args, keywords=words):
            counted = args[:1] if dotted_name(owner) == "torch" else [owner]
            sizes = [word.value for word in words if word.arg == "minlength"]
            if len(words) != len(sizes) or len(args) > 1 or not counted:
                return ""
            name, size = dotted_name(counted[0]), code.shown(sizes[0]) if sizes else "classes"
            if name and size:
                return _counted(name, size, is_known=bool(sizes))
    return ""


def _counted(name: str, size: str, *, is_known: bool) -> str:
    """How values are counted into a tensor of known size."""
    whether = (
        f", if no value of `{name}` is above that"
        if is_known
        else ", where `classes` is larger than the largest value there can be"
    )
    return (
        f"Count into a tensor of known size: `{name}.new_zeros({size}, dtype=torch.int64)"
        f".scatter_add(0, {name}.long(), torch.ones_like({name}, dtype=torch.int64))`{whether}."
    )


def _repeat_tailored(code: Code) -> str:
    shown = code.shown(code.find(lambda node: called(node) == "repeat_interleave"))
    if not shown or "output_size" in shown:
        return ""
    return f"If the total is known in Python, pass it: `{shown[:-1]}, output_size=total)`."


COUNTS = (
    case("combinations", where=lambda code: code.has(lambda node: called(node) == "combinations")),
    case("unique"),
    case("bincount", tailored=_bincount_tailored),
    case("repeat-interleave", tailored=_repeat_tailored),
    case("one-hot"),
)
SHAPES = (
    case(
        "masked-store",
        where=_stores_masked,
        tailored=_stores_tailored,
        edits=lambda code: line_instead(code, _chosen(code)[0]),
    ),
    case("nonzero", where=lambda code: code.has(lambda node: _is_where(node) or _is_nonzero(node))),
    case(
        "boolean-mask",
        # A filling changes a mean, a loss, and what depends on the size.
        tailored=lambda code: "" if _is_reduced(code) else _captured_tailored(code) or _FIX,
    ),
    case(
        "dynamic-shape-captured",
        where=lambda code: not decides_by_size(code),
        tailored=_captured_tailored,
    ),
)
