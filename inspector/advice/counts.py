"""Operators that count, with sizes that can be said beforehand."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code, dotted_name


def _is_call_of(name: str, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted_name(node.func).rpartition(".")[2] == name


def _bincount_tailored(code: Code) -> str:
    """In the user's names where nothing is weighed: weights have a dtype of their own."""
    match code.find(lambda node: _is_call_of("bincount", node)):
        case ast.Call(func=ast.Attribute(value=owner), args=args, keywords=words):
            counted = args[:1] if dotted_name(owner) == "torch" else [owner]
            sizes = [word.value for word in words if word.arg == "minlength"]
            if len(words) != len(sizes) or len(args) > 1 or not counted:
                return ""
            name, size = dotted_name(counted[0]), code.shown(sizes[0]) if sizes else "classes"
            if name and size:
                return _counted(name, size, is_known=bool(sizes))
    return ""


def _counted(name: str, size: str, *, is_known: bool) -> str:
    """How values are counted into a tensor of known size."""
    whether = (
        f", if no value of `{name}` is above that"
        if is_known
        else ", where `classes` is larger than the largest value there can be"
    )
    return (
        f"Count into a tensor of known size: `{name}.new_zeros({size}, dtype=torch.int64)"
        f".scatter_add(0, {name}.long(), torch.ones_like({name}, dtype=torch.int64))`{whether}."
    )


def _repeat_tailored(code: Code) -> str:
    found = code.find(lambda node: _is_call_of("repeat_interleave", node))
    shown = code.shown(found)
    if not shown or "output_size" in shown:
        return ""
    return f"If the total is known in Python, pass it: `{shown[:-1]}, output_size=total)`."


ADVICE = (
    case(
        "combinations", where=lambda code: code.has(lambda node: _is_call_of("combinations", node))
    ),
    case("unique"),
    case("bincount", tailored=_bincount_tailored),
    case("repeat-interleave", tailored=_repeat_tailored),
    case("one-hot"),
)
