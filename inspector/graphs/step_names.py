"""What a kernel computes, in a few words."""

from __future__ import annotations

from inspector.graphs.fusion import Step
from inspector.graphs.traffic import is_view
from inspector.model.graph import Node

__all__ = ["described", "short_name"]


def described(step: Step) -> str:
    """What a step computes, as the author of the model knows it: ``gelu (model.py:31)``."""
    nodes = [node for node in step.operators if not is_view(node)] or list(step.operators)
    if not nodes:
        return step.name
    names = list(dict.fromkeys(map(_operator, nodes)))
    shown = ", ".join(names[:2]) + ("…" if len(names) > 2 else "")  # noqa: PLR2004
    line = nodes[-1].line
    return f"`{shown}` ({line.file.rpartition('/')[2]}:{line.line})" if line else f"`{shown}`"


def _operator(node: Node) -> str:
    """The user's operator, before decompositions: ``native_layer_norm``."""
    return short_name(node.aten or node.target)


def short_name(target: str) -> str:
    """``add`` of ``aten.add.Tensor``, ``scale`` of ``mine.scale.default``."""
    parts = target.split(".")
    if len(parts) > 1 and (parts[0] in {"aten", "prims"} or parts[-1] == "default"):
        return parts[1] if parts[0] in {"aten", "prims"} else parts[-2]
    return parts[-1]
