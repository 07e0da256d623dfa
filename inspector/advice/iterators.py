"""Iterators, generators, and orders by values."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code

_SIZES = frozenset({"dim", "numel", "size"})


def _by_size(code: Code) -> bool:
    """Whether the key of an order is a size, which is a number while tracing."""
    keys = [
        node.value for node in code.nodes() if isinstance(node, ast.keyword) and node.arg == "key"
    ]
    return any(_is_size(key.body if isinstance(key, ast.Lambda) else key) for key in keys)


def _is_size(node: ast.expr) -> bool:
    match node:
        case ast.Name(id="len") | ast.Call(func=ast.Name(id="len")):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape")) | ast.Attribute(attr="ndim"):
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _SIZES
    return False


ADVICE = (
    case("generator-from-outside"),
    case("next-of-outer-iterator"),
    case("max-by-size", where=_by_size),
    case("max-with-key"),
    case("sorted-tensors"),
    case("set-of-tensors"),
)
