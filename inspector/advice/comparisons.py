"""Tensors compared or taken apart as a whole, and functions of math applied to them."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import attribute


def _is_membership(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) and any(
        isinstance(item, ast.In | ast.NotIn) for item in node.ops
    )


ADVICE = (
    case("value-in-tensor", where=lambda code: code.has(_is_membership)),
    case("tolist", where=lambda code: code.has(attribute("tolist"))),
    case("tolist-captured"),
    case("equal-or-allclose", where=lambda code: code.has(attribute("equal", "allclose"))),
)
