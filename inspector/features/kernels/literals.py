"""Output code and values in it, which are read and never run."""

from __future__ import annotations

import ast

_LONGEST = 200


def value_of(node: ast.expr) -> object:  # noqa: PLR0911 - a kind of literal each
    """The value of an expression; text where it is no literal.

    Calls become dictionaries of their keyword arguments (``DeviceProperties(type='cuda')``), sets
    become sorted lists.
    """
    match node:
        case ast.Constant():
            return node.value
        case ast.Dict():
            keys = [item for item in node.keys if item is not None]
            return {
                _key(key): value_of(value) for key, value in zip(keys, node.values, strict=False)
            }
        case ast.List() | ast.Tuple() | ast.Set():
            return [value_of(item) for item in node.elts]
        case ast.Call() if node.keywords:
            return {item.arg: value_of(item.value) for item in node.keywords if item.arg}
        case ast.Call() if isinstance(node.func, ast.Name) and node.func.id == "set":
            return []
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
    return text_of(node)


def text_of(node: ast.expr) -> str:
    """An expression as text, cut off where it is very long."""
    text = ast.unparse(node)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _key(node: ast.expr) -> str:
    value = value_of(node)
    return value if isinstance(value, str) else str(value)


def output_module(text: str) -> ast.Module:
    """Parses the output code of a graph. It is never run: it comes from logs.

    Raises:
        ValueError: It is no Python (cut off, say).
    """
    try:
        return ast.parse(text)
    except (SyntaxError, MemoryError, RecursionError) as error:
        message = "the output code is no Python"
        raise ValueError(message) from error
