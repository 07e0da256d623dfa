"""A tensor in the place of a Python number that is made of it."""

import ast

from inspector.features.breaks.advice.edits import Fix, instead_of
from inspector.features.breaks.advice.numbers import Uses, is_scalar, tensors_in
from inspector.report.user_code.code import Code, dotted_name

_AFTER = (
    "tensor operators after it (`clamp` instead of `max`, `torch.where` instead of a branch). "
    "If Python code needs a number, create it in the caller."
)
# `float()` of any other reduction changes the dtype where the tensor is one of integers.
_OF_FLOATS = ("mean", "norm", "std", "var")
_SAME_IN_TORCH = ("cos", "cosh", "erf", "exp", "log", "log10", "log1p", "log2", "sin", "sinh",
                  "sqrt", "tan", "tanh")  # fmt: skip


def _tensor(node: ast.expr) -> ast.expr | None:
    """What a number is made of: ``t`` of ``t.item()`` and ``float(t)``."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
            return value
        case ast.Call(func=ast.Name(id="float"), args=[ast.Call(func=function) as value]):
            named = isinstance(function, ast.Attribute) and function.attr in _OF_FLOATS
            return value if named and not node.keywords else None
    return None


def _of_number(code: Code) -> tuple[ast.expr, ast.expr, str] | None:
    """The number, the tensor without dimensions that it is made of, and that without gradients."""
    number = code.find(lambda node: _tensor(node) is not None)
    tensor = _tensor(number) if number is not None else None
    if number is None or tensor is None or not is_scalar(tensor):
        return None
    return number, tensor, f"{code.shown(tensor)}.detach()"


def kept_tensor(code: Code) -> Fix:
    """The tensor, or one that may do where not all uses of the number are known."""
    found = _of_number(code)
    if kept := _kept(code, *found) if found is not None else None:
        return kept
    number, instead = _perhaps(code)
    whole = code.shown(number)
    text = f"If a tensor is enough, use `{instead}` instead of `{whole}`, and use {_AFTER}"
    edits = instead_of(code, number, instead) if number is not None else ()
    return Fix(text if whole and instead else "", edits)


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
            inner = _tensor(value) if isinstance(value, ast.Call) else None
            is_tensor = inner is None and isinstance(value, ast.Call | ast.Subscript | ast.Name)
            found = inner if inner is not None else value if is_tensor else None
            return found, ".long()" if kind == "int" else ""
    return _tensor(node), ""


def _kept(code: Code, number: ast.expr, tensor: ast.expr, instead: str) -> Fix | None:
    """How to keep a tensor in the place of a number; None where it could be noticed."""
    uses = Uses(code, tensors_in(tensor))
    if not (code.shown(number) and code.shown(tensor) and uses.allow_tensor(number)):
        return None
    value = code.statement.value if isinstance(code.statement, ast.Assign) else None
    begin = f"{code.target} = " if value is number else ""
    text = f"Keep it as a tensor: `{begin}{instead}` instead of `{begin}{code.shown(number)}`"
    more = "; ".join(f"`{new}` instead of `{old}`" for new, old in uses.changes)
    places = [(number, instead)]
    places += [(node, new) for (new, _), nodes in uses.changes.items() for node in nodes]
    edits = tuple(edit for node, new in places for edit in instead_of(code, node, new))
    return Fix(f"{text}, and accordingly {more}." if more else f"{text}.", edits)


def _is_math(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted_name(node.func).startswith("math.")


def _of_math(code: Code) -> tuple[ast.expr, ast.expr, str] | None:
    """The number, the tensor that it is made of, and torch's function of that."""
    match call := code.find(_is_math):
        case ast.Call(func=function, args=[ast.expr() as value], keywords=[]):
            name = dotted_name(function).removeprefix("math.")
            if name in _SAME_IN_TORCH and is_scalar(value):
                return call, value, f"torch.{name}({code.shown(value)}.detach())"
    return None


def torch_function(code: Code) -> Fix:
    """Torch's function of the tensor in the place of that of `math`."""
    found = _of_math(code)
    return (_kept(code, *found) if found is not None else None) or Fix()


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
