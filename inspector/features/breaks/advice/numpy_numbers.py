"""NumPy functions of Python numbers: ``int(np.prod(x.shape[1:]))``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.edits import instead_of
from inspector.report.user_code.code import Code, dotted_name, written
from inspector.shared.edit import Edit

_MODULES = ("np.", "numpy.")
_MATH = frozenset({"ceil", "cos", "exp", "floor", "log", "log10", "log2", "prod", "sin", "sqrt"})
_BUILTIN = {
    **dict.fromkeys(("abs", "absolute"), "abs"),
    **dict.fromkeys(("amax", "max", "maximum"), "max"),
    **dict.fromkeys(("amin", "min", "minimum"), "min"),
    **dict.fromkeys(("around", "round"), "round"),
    "sum": "sum",
}
_OPERATORS = {"floor_divide": ast.FloorDiv(), "mod": ast.Mod(), "power": ast.Pow()}
# What `np.max` and such take of one argument, which is a sequence, and others of several numbers.
_OF_SEQUENCE = frozenset({"amax", "amin", "max", "min", "prod", "sum", "mean"})
_OF_TWO = frozenset({"maximum", "minimum", *_OPERATORS})
_WHOLE = frozenset({"int", "int32", "int64"})
_MAKES_ARRAY = frozenset({"array", "asarray"})


def is_numpy(call: ast.Call) -> bool:
    """``np.prod(…)`` or ``np.array(…).prod()``."""
    if dotted_name(call.func).startswith(_MODULES):
        return True
    match call.func:
        case ast.Attribute(value=ast.Call() as array):
            return is_numpy(array)
    return False


def in_python(call: ast.Call) -> str:
    """The same without NumPy; empty where Python has nothing like it.

    Args:
        call: A call of NumPy whose arguments are numbers, or sequences of them.
    """
    made = _Translator().visit(ast.parse(ast.unparse(call), mode="eval").body)
    left = any(isinstance(node, ast.Call) and is_numpy(node) for node in ast.walk(made))
    return "" if left else ast.unparse(ast.fix_missing_locations(made))


class _Translator(ast.NodeTransformer):
    """Writes calls of NumPy as calls of Python; leaves those for which there is none."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node.func:
            case ast.Attribute(value=ast.Call() as made, attr="item") if is_numpy(made):
                return self.visit_Call(made)  # what comes of it is a number of Python's already
        name, args = _name(node)
        known = _is_whole(node) and not any(isinstance(arg, ast.Starred) for arg in args)
        translated = _translated(name, args) if known else None
        return self.generic_visit(translated) if translated else node


def _is_whole(call: ast.Call) -> bool:
    """Whether nothing is asked of a call but, at most, whole numbers."""
    return all(
        word.arg == "dtype" and ast.unparse(word.value).rpartition(".")[2] in _WHOLE
        for word in call.keywords
    )


def _name(call: ast.Call) -> tuple[str, list[ast.expr]]:
    """``prod`` and what it is of, for the function as for the method of an array."""
    match call.func:
        case ast.Attribute(value=ast.Call(func=maker, args=[values], keywords=[]), attr=name):
            makes_array = dotted_name(maker).rpartition(".")[2] in _MAKES_ARRAY
            is_known = makes_array and not call.args and name in _OF_SEQUENCE
            return (name, [values]) if is_known else ("", [])
    module, _, name = dotted_name(call.func).rpartition(".")
    return (name if f"{module}." in _MODULES else "", call.args)


def _translated(name: str, args: list[ast.expr]) -> ast.expr | None:
    expected = {"clip": 3}.get(name, 2 if name in _OF_TWO else 1)
    if len(args) != expected or (name in _OF_SEQUENCE and _is_one(args[0])):
        return None
    if name == "clip":
        return _call("min", _call("max", *args[:2]), args[2])
    if name == "mean":
        return ast.BinOp(_call("sum", *args), ast.Div(), _call("len", *args))
    if name in _OPERATORS:
        return ast.BinOp(args[0], _OPERATORS[name], args[1])
    if name in _MATH:
        return ast.Call(ast.Attribute(ast.Name("math"), name), args, [])
    return _call(_BUILTIN[name], *args) if name in _BUILTIN else None


def _is_one(node: ast.expr) -> bool:
    """Whether it is a number rather than a sequence: ``x.shape[0]``, ``3``."""
    is_item = isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice)
    return is_item or isinstance(node, ast.Constant | ast.BinOp)


def _call(name: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name), list(args), [])


# What is called so is hardly ever a tensor.
_COUNTS = re.compile(
    r"size|shape|dim|num_|count|stride|grid|window|kernel|channel|feature|width|height|depth|head"
    r"|length|^(?:b|c|d|h|k|m|n|s|t|w)$"
)
_SIZES = frozenset({"dim", "ndimension", "numel", "size"})
_PYTHONS = frozenset({"abs", "float", "int", "len", "max", "min", "round", "sum", "tuple", "list"})


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
        case ast.Constant(value=int() | float()):
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _is_number(code, node, name, follows=follows)
    parts = _parts(node)
    return bool(parts) and all(_has_numbers(code, part, follows=follows) for part in parts)


_is_size = written("_.shape", "_.ndim", "len(*_)", *(f"_.{name}(*_, **_)" for name in _SIZES))


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
    setters = code.setters(name) if isinstance(node, ast.Name) and follows else []
    if not setters:
        return _COUNTS.search(name.lower()) is not None
    parents = code.parents()
    # Also a part of it: `b, c = x.shape`.
    whole = [parents.get(each) if isinstance(each, ast.Tuple) else each for each in setters if each]
    return all(
        isinstance(each, ast.Assign) and _has_numbers(code, each.value, follows=False)
        for each in whole
    )


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


_is_grid = written(
    *(f"{numpy}.{grid}[_]" for numpy in ("np", "numpy") for grid in ("mgrid", "ogrid", "r_", "c_"))
)


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
            shown = [code.shown(end) for end in ends]
            if all(shown) and not any(_is_fraction(node) for end in ends for node in ast.walk(end)):
                return f"torch.arange({', '.join(shown)})"
    return ""


def _is_fraction(node: ast.AST) -> bool:
    is_float = isinstance(node, ast.Constant) and not isinstance(node.value, int)
    return is_float or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))


ADVICE = (
    case("numpy-number", where=lambda code: bool(_changes(code)), tailored=_tailored, edits=_edits),
    case("numpy-grid", where=lambda code: code.has(_is_grid), tailored=_grid_tailored),
)
