"""Objects and their classes."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import dotted_name

ADVICE = (
    case("deepcopy"),
    case(
        "hash-of-tensor",
        where=lambda code: code.has(
            lambda node: isinstance(node, ast.Call) and dotted_name(node.func) in {"hash", "id"}
        ),
    ),
    case("id-of-tensor"),
    case("class-statement"),
    case("getattr-not-a-function"),
)
