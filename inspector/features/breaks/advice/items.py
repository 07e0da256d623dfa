"""A tensor in the place of a Python number that is made of it."""

import ast

from inspector.features.breaks.advice.edits import Fix, instead_of
from inspector.features.breaks.advice.numbers import is_scalar, tensor_of
from inspector.report.user_code.code import Code

_UNLESS = "if nothing after it needs a Python number."


def tensor_for_number(code: Code) -> Fix:
    """A tensor in the place of a number, which takes a person to judge, or `--verify`."""
    number, instead = _perhaps(code)
    whole = code.shown(number)
    if number is None or not whole or not instead:
        return Fix()
    is_all = isinstance(code.statement, ast.Assign) and code.statement.value is number
    begin = f"{code.target} = " if is_all and code.target else ""
    text = f"Keep it as a tensor: `{begin}{instead}` instead of `{begin}{whole}`, {_UNLESS}"
    return Fix(text, instead_of(code, number, instead))


def _perhaps(code: Code) -> tuple[ast.expr | None, str]:
    """A number, and a tensor of one element in its place; empty where it is none."""
    number = code.find(lambda node: _any_tensor(node)[0] is not None)
    tensor, then = _any_tensor(number) if number is not None else (None, "")
    shown = code.shown(tensor)
    if tensor is None or not shown:
        return number, ""
    same = ".detach()" if is_scalar(tensor) else ".detach().clone().reshape(())"
    binds = isinstance(tensor, ast.Call | ast.Name | ast.Attribute | ast.Subscript)
    return number, f"{shown if binds else f'({shown})'}{same}{then}"


def _any_tensor(node: ast.expr) -> tuple[ast.expr | None, str]:
    """What a number is made of, and what makes a tensor of it that is as wide."""
    match node:
        case ast.Call(func=ast.Name(id="float" | "int" as kind), args=[value], keywords=[]):
            inner = tensor_of(value, ())
            is_tensor = inner is None and isinstance(value, ast.Call | ast.Subscript | ast.Name)
            found = inner if inner is not None else value if is_tensor else None
            return found, ".long()" if kind == "int" else ""
    return tensor_of(node, ()), ""


def element(code: Code) -> Fix:
    """An element at a tensor without dimensions, at one of one dimension."""
    found, new = _element(code)
    text = (
        f"Give the index a dimension: `{new}` instead of `{code.shown(found)}`. torch reads a "
        "zero-dimensional tensor as a number, whose value is unknown while tracing."
    )
    return Fix(text, instead_of(code, found, new)) if found is not None else Fix()


def _element(code: Code) -> tuple[ast.expr | None, str]:
    """An element that is read, and ``x[i.reshape(1)].squeeze(0)`` for it; else None."""
    found = code.find(is_element)
    if not isinstance(found, ast.Subscript) or not isinstance(found.ctx, ast.Load):
        return None, ""
    parts = found.slice.elts if isinstance(found.slice, ast.Tuple) else [found.slice]
    at = [n for n, part in enumerate(parts) if not isinstance(part, ast.Slice)]
    old, base = code.shown(found), code.shown(found.value)
    if len(at) != 1 or not isinstance(parts[at[0]], ast.Name | ast.Call | ast.Attribute):
        return None, ""
    with_dimension = ast.Call(ast.Attribute(parts[at[0]], "reshape"), [ast.Constant(1)], [])
    inside = ", ".join(ast.unparse(with_dimension if n in at else p) for n, p in enumerate(parts))
    return (found, f"{base}[{inside}].squeeze({at[0]})") if old and base else (None, "")


def is_element(node: ast.expr) -> bool:
    """``x[i]``."""
    return isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice | ast.Constant)
