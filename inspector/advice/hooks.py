"""Hooks of modules."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind


def _handles_hook(node: ast.expr) -> bool:
    """``x.register_forward_hook`` and the like, and ``handle.remove``."""
    return isinstance(node, ast.Attribute) and (
        node.attr == "remove" or (node.attr.startswith("register_") and node.attr.endswith("hook"))
    )


BACKWARD_HOOK = Advice(
    id="module-backward-hook",
    kinds=(Kind("GB0083", "Module-level backwards hooks require compiled autograd."),),
    title="a backward hook of a module",
    fix="Hook a tensor instead of the module: for a backward pre-hook its output, "
    "`y.register_hook(f)`; for a backward hook, which is about the gradient of the input, `x = "
    "x.view_as(x)` and that. `f` takes and returns a gradient, and changes nothing else.",
    holds_elsewhere=True,
    keeps="Outputs and gradients. A hook that stores what it sees breaks the graph here too.",
)

FORWARD_HOOK = Advice(
    id="hook-registered-inside",
    kinds=(
        Kind("GB0013", "Attempted to represent unregistered RemovableHandle"),
        Kind("GB0467", "setattr() on unsupported type"),
        Kind("GB0059", "Failed to trace builtin operator"),
    ),
    says=r"RemovableHandle|setattr",
    where=lambda code: code.has(_handles_hook),
    title="a hook registered in compiled code",
    fix="Register the hook in the caller, before the first compiled call; one that stays "
    "registered also runs in all other calls of the module.",
    keeps="The outputs; the hook stays registered.",
)

ADVICE = (BACKWARD_HOOK, FORWARD_HOOK)
