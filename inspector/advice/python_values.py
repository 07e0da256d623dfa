"""Values of tensors that Python itself needs: to sort by, as keys, in sets."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inspector.advice.advice import case
from inspector.advice.code import Code, header
from inspector.advice.keys import becomes_key

_ORDERING = frozenset({"max", "min", "nlargest", "nsmallest", "sort", "sorted"})
_HASHING = frozenset({"Counter", "frozenset", "set"})
_MAKING = frozenset({"Counter", "fromkeys"})


def _sorts(code: Code) -> bool:
    """Whether a ``key=`` function of an order makes numbers of tensors here."""
    calls = [node for node in _here(code) if isinstance(node, ast.Call)]
    keys = [
        word.value
        for call in calls
        if _name(call) in _ORDERING
        for word in call.keywords
        if word.arg == "key"
    ]
    return any(_makes_values(code, key) for key in keys)


def _hashes(code: Code) -> bool:
    """Whether values of tensors go into a set, a dict or a counter here."""
    for node in _here(code):
        match node:
            case ast.Set() | ast.SetComp():
                inside: list[ast.expr] = [node]
            case ast.DictComp(key=key):
                inside = [key]
            # `state.set(…)` may be anything.
            case ast.Call(func=ast.Name(id=name), args=args) if name in _HASHING:
                inside = args
            case ast.Call(func=ast.Attribute(attr=name), args=args) if name in _MAKING:
                inside = args
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="update"), args=args)):
                inside = args
            case _:
                continue
        if any(_makes_values(code, part) for part in inside):
            return True
    return becomes_key(code)


def _here(code: Code) -> Iterator[ast.AST]:
    """All of the statement: torch's columns are those of what iterates, or of what is called."""
    return header(code.statement) if code.statement is not None else iter(())


def _makes_values(code: Code, node: ast.expr) -> bool:
    """Whether values of tensors are made in an expression, by what torch points at."""
    return any(map(_is_value, ast.walk(node))) and _is_pointed_at(code, node)


def _is_value(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="item" | "tolist")):
            return True
        case ast.Call(func=ast.Name(id="bool" | "float" | "int"), args=[_]):
            return True
    return False


def _is_pointed_at(code: Code, node: ast.expr) -> bool:
    """Whether torch points into an expression, or at what it is in; yes where it does not say."""
    pointed = code.expression
    if pointed is None:
        return True
    return any(inner is pointed for inner in ast.walk(node)) or any(
        inner is node for inner in ast.walk(pointed)
    )


def _name(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


ADVICE = (
    case("sorted-by-tensor", where=_sorts),
    case("values-as-keys", where=_hashes),
)
