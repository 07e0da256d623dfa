"""Gradients, parameters and hooks."""

from __future__ import annotations

import ast

from inspector.advice.advice import case


def _handles_hook(node: ast.expr) -> bool:
    """``x.register_forward_hook`` and the like, and ``handle.remove``."""
    return isinstance(node, ast.Attribute) and (
        node.attr == "remove" or (node.attr.startswith("register_") and node.attr.endswith("hook"))
    )


ADVICE = (
    case("backward"),
    case("autograd-grad"),
    case("autograd-grad-traced"),
    case("grad-fn"),
    case("retain-grad"),
    case("requires-grad"),
    case("create-with-requires-grad"),
    case("parameter"),
    case("module-backward-hook"),
    case("hook-registered-inside", where=lambda code: code.has(_handles_hook)),
)
