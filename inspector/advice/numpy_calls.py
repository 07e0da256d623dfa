"""What Python itself has for NumPy's functions of numbers."""

from __future__ import annotations

import ast

from inspector.advice.code import dotted_name

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
    match node:
        case ast.Constant() | ast.BinOp():
            return True
        case ast.Subscript(slice=index):
            return not isinstance(index, ast.Slice)
    return False


def _call(name: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name), list(args), [])
