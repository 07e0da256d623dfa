"""Tensors that are an index."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code, attribute, dotted_name
from inspector.advice.edits import instead_of
from inspector.advice.numbers import is_number_of
from inspector.model.edit import Edit


def makes_number(node: ast.expr) -> bool:
    """Whether an expression makes a Python number of a tensor."""
    return attribute("item")(node) or (
        isinstance(node, ast.Name) and node.id in {"bool", "float", "int"}
    )


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
    return is_math or makes_number(node.func) or attribute("numpy", "tolist")(node.func)


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


ADVICE = (
    case(
        "tensor-chooses-module",
        where=lambda code: code.has(_calls_item) and not code.has(makes_number),
    ),
    case(
        "tensor-as-index",
        where=lambda code: (
            code.has(_indexes) and not code.has(makes_number) and not code.has(_calls_item)
        ),
    ),
    case("number-as-index", where=_chosen_by_number),
    case("tensor-as-element", where=_is_element, tailored=_element_tailored, edits=_element_edits),
)
