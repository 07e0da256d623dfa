"""Tensors that are an index, or the length of a slice."""

from __future__ import annotations

import ast

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.edits import instead_of
from inspector.features.breaks.advice.numbers import is_number_of
from inspector.report.user_code.code import Code, attribute, dotted_name
from inspector.shared.edit import Edit


def _makes_number(node: ast.expr) -> bool:
    """Whether an expression makes a Python number of a tensor."""
    is_conversion = isinstance(node, ast.Name) and node.id in {"bool", "float", "int"}
    return is_conversion or attribute("item")(node)


def _indexes(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice | ast.Constant)


def _calls_item(node: ast.expr) -> bool:
    """Whether a call is ``experts[index](x)``."""
    return isinstance(node, ast.Call) and _indexes(node.func)


def _is_element(code: Code) -> bool:
    """Whether there is an element where torch points, and nothing else that needs a number.

    Torch points at ``x[i] * 2`` for ``x[i]``.
    """
    pointed = code.expression
    if pointed is not None and _indexes(pointed):
        return True
    return code.has(_indexes) and not code.has(_needs_number)


def _needs_number(node: ast.expr) -> bool:
    """Whether it may be what makes a number, in the place of an element."""
    if not isinstance(node, ast.Call):
        return False
    is_math = dotted_name(node.func).startswith(("math.", "np.", "numpy."))
    return is_math or _makes_number(node.func) or attribute("numpy", "tolist")(node.func)


def _element_tailored(code: Code) -> str:
    found, new = _element(code)
    return (
        f"Give the index a dimension: `{new}` instead of `{code.shown(found)}`. Torch reads a "
        "tensor without dimensions as a number, which it knows only when the program runs."
        if found is not None
        else ""
    )


def _element_edits(code: Code) -> tuple[Edit, ...]:
    found, new = _element(code)
    return instead_of(code, found, new) if found is not None else ()


def _element(code: Code) -> tuple[ast.expr | None, str]:
    """An element that is read, and ``x[i.reshape(1)].squeeze(0)`` for it; else None."""
    found = code.find(_indexes)
    if not isinstance(found, ast.Subscript) or not isinstance(found.ctx, ast.Load):
        return None, ""
    parts = found.slice.elts if isinstance(found.slice, ast.Tuple) else [found.slice]
    at = [n for n, part in enumerate(parts) if not isinstance(part, ast.Slice)]
    old, base, index = (code.shown(node) for node in (found, found.value, parts[at[0]]))
    if len(at) != 1 or not isinstance(parts[at[0]], ast.Name | ast.Call | ast.Attribute):
        return None, ""
    with_dimension = ast.Call(ast.Attribute(parts[at[0]], "reshape"), [ast.Constant(1)], [])
    inside = ", ".join(ast.unparse(with_dimension if n in at else p) for n, p in enumerate(parts))
    if not (old and base and index):
        return None, ""
    return found, f"{base}[{inside}].squeeze({at[0]})"


def _chosen_by_number(code: Code) -> bool:
    """Whether something is taken out of a list or the like by a number made of a tensor."""
    number = code.find(lambda node: is_number_of(node, "int", "bool"))
    if number is None:
        return False
    parents = code.parents()
    node: ast.AST = number
    while isinstance(parents.get(node), ast.BinOp | ast.UnaryOp):
        node = parents[node]
    if isinstance(parents.get(node), ast.Assign) and len(code.stores(code.target)) == 1:
        loads = code.loads(code.target)
        return bool(loads) and all(_is_index(parents.get(load), load) for load in loads)
    return _is_index(parents.get(node), node)


def _is_index(node: ast.AST | None, child: ast.AST) -> bool:
    match node:
        case ast.Subscript(slice=index, ctx=ast.Load()):
            return index is child
    return False


_FILLED = {
    "amax": "-inf", "amin": "inf", "argmax": "-inf", "argmin": "inf", "log_softmax": "-inf",
    "logsumexp": "-inf", "max": "-inf", "min": "inf", "prod": "1", "softmax": "-inf",
}  # fmt: skip
_OTHER = frozenset({"argsort", "cummax", "cummin", "median", "mode", "quantile", "sort", "topk"})
_BEHIND = {
    "log_softmax": "; what is after n is then `float('-inf')`",
    "softmax": "; what is after n is then 0",
}
_BEYOND = "`beyond = torch.arange(x.shape[0], device=x.device) >= n`"
_AS_INT = "or pass the length as a Python int."
_RANGE = "an n that is neither negative nor more than there is"


def _reduction(code: Code) -> str:
    """The name of the function or method that is given the slice."""
    for node in code.header():
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=args):
                subscripts = (
                    each for each in (value, *args[:1]) if isinstance(each, ast.Subscript)
                )
                if any(isinstance(each.slice, ast.Slice) for each in subscripts):
                    return name
    return ""


def _slice_tailored(code: Code) -> str:
    """What to fill in, where what is done with the slice says so."""
    name = _reduction(code)
    if name in _FILLED:
        number = _FILLED[name] if name == "prod" else f"float('{_FILLED[name]}')"
        rest = _BEHIND.get(name, "")
        return (
            f"Keep the full length and fill what is after it with what `{name}` passes over: for "
            f"`x[:n]` of one dimension `x.masked_fill(beyond, {number})`, with {_BEYOND} and an n "
            f"that is not negative{rest}; {_AS_INT}"
        )
    if name == "mean":
        return (
            "Keep the full length, and divide the sum by n: for `x[:n].mean()` of one dimension "
            f"`x.masked_fill(beyond, 0).sum() / n`, with {_BEYOND} and {_RANGE}; {_AS_INT}"
        )
    if name in {"std", "var"}:
        root = ".sqrt()" if name == "std" else ""
        return (
            f"Keep the full length and compute it of sums: for `x[:n].{name}()` of one dimension "
            "`mean = x.masked_fill(beyond, 0).sum() / n`, then `((x - mean).square().masked_fill("
            f"beyond, 0).sum() / (n - 1)){root}`, with {_BEYOND} and {_RANGE}; {_AS_INT}"
        )
    if name in _OTHER:
        return f"Pass the length as a Python int: no value can be filled in that `{name}` ignores."
    return ""


INDICES = (
    case(
        "tensor-chooses-module",
        where=lambda code: code.has(_calls_item) and not code.has(_makes_number),
    ),
    case(
        "tensor-as-index",
        where=lambda code: (
            code.has(_indexes) and not code.has(_makes_number) and not code.has(_calls_item)
        ),
    ),
    case("number-as-index", where=_chosen_by_number),
    case("tensor-as-element", where=_is_element, tailored=_element_tailored, edits=_element_edits),
)
LENGTHS = (
    case(
        "tensor-as-length",
        where=lambda code: (
            code.has(lambda node: isinstance(node, ast.Slice)) and not code.has(_makes_number)
        ),
        tailored=_slice_tailored,
    ),
)
