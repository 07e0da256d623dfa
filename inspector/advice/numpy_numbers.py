"""NumPy functions of Python numbers: ``int(np.prod(x.shape[1:]))``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inspector.advice.advice import case
from inspector.advice.code import Code, dotted_name
from inspector.advice.edits import instead_of
from inspector.advice.numpy_calls import in_python, is_numpy
from inspector.model.edit import Edit

# What is called so is hardly ever a tensor.
_COUNTS = re.compile(
    r"size|shape|dim|num_|count|stride|grid|window|kernel|channel|feature|width|height|depth|head"
    r"|length|^(?:b|c|d|h|k|m|n|s|t|w)$"
)
_SIZES = frozenset({"dim", "ndimension", "numel", "size"})
_PYTHONS = frozenset({"abs", "float", "int", "len", "max", "min", "round", "sum", "tuple", "list"})


def _is_of_numbers(code: Code) -> bool:
    """Whether NumPy is called with what are Python numbers, and Python has the same."""
    return bool(_changes(code))


def _changes(code: Code) -> dict[str, str]:
    """What to write instead of each call of NumPy; empty if that is not certain of one of them."""
    calls = tuple(_outermost(code))
    if not all(_has_numbers(code, call) for call in calls):
        return {}
    found = {code.shown(call): in_python(call) for call in calls}
    return found if all(found) and all(found.values()) else {}


def _outermost(code: Code) -> Iterator[ast.Call]:
    """The calls of NumPy that are in no other one."""
    inside: set[ast.AST] = set()
    for node in code.nodes():  # breadth first: what is around a node comes before it
        if isinstance(node, ast.Call) and is_numpy(node) and node not in inside:
            inside.update(ast.walk(node))
            yield node


def _has_numbers(code: Code, node: ast.AST, *, follows: bool = True) -> bool:
    """Whether an expression is made of sizes and constants alone.

    Args:
        follows: Whether a name is looked up where the function sets it.
    """
    if _is_size(node):
        return True
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _is_number(code, node, name, follows=follows)
    parts = _parts(node)
    return bool(parts) and all(_has_numbers(code, part, follows=follows) for part in parts)


def _is_size(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=int() | float()) | ast.Attribute(attr="shape" | "ndim"):
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _SIZES
        case ast.Call(func=ast.Name(id="len")):
            return True
    return False


def _parts(node: ast.AST) -> list[ast.expr]:
    """What an expression is calculated from; empty where that is not known."""
    match node:
        case ast.Call(func=ast.Attribute(value=array), args=args) if is_numpy(node):
            return [*([array] if isinstance(array, ast.Call) else []), *args]
        case ast.Call(func=ast.Name(id=name), args=args) if name in _PYTHONS:
            return args
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.UnaryOp(operand=value) | ast.Starred(value=value) | ast.Subscript(value=value):
            return [value]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return parts
    return []


def _is_number(code: Code, node: ast.AST, name: str, *, follows: bool) -> bool:
    """Whether a name is a number by where it is set, or else by what it is called."""
    stores = code.stores(name) if isinstance(node, ast.Name) and follows else ()
    if not stores:
        return _COUNTS.search(name.lower()) is not None
    parents = code.parents()
    values = [_value(parents, store) for store in stores]
    return all(value and _has_numbers(code, value, follows=False) for value in values)


def _value(parents: dict[ast.AST, ast.AST], store: ast.AST) -> ast.expr | None:
    """What a name is set to, or a part of it: ``b, c = x.shape``."""
    match parents.get(store):
        case ast.Assign(value=value):
            return value
        case ast.Tuple() as unpacked:
            return _value(parents, unpacked)
    return None


def _tailored(code: Code) -> str:
    changes = _changes(code)
    said = " and ".join(f"`{new}` instead of `{old}`" for old, new in changes.items())
    first = "`import math`, and write" if any("math." in new for new in changes.values()) else ""
    return f"Let Python do it: {first} {said}.".replace("  ", " ") if said else ""


def _edits(code: Code) -> tuple[Edit, ...]:
    if not _changes(code):
        return ()
    found = (instead_of(code, call, in_python(call)) for call in _outermost(code))
    return tuple(edit for edits in found for edit in edits)


_GRIDS = frozenset({"mgrid", "ogrid", "r_", "c_"})


def _is_grid(node: ast.expr) -> bool:
    match node:
        case ast.Subscript(value=value):
            module, _, name = dotted_name(value).rpartition(".")
            return module in {"np", "numpy"} and name in _GRIDS
    return False


def _grid_tailored(code: Code) -> str:
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


ADVICE = (
    case("numpy-number", where=_is_of_numbers, tailored=_tailored, edits=_edits),
    case("numpy-grid", where=lambda code: code.has(_is_grid), tailored=_grid_tailored),
)
