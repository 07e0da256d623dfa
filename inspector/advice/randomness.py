"""Random numbers."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code, header


def _tailored(code: Code) -> str:
    """Where a branch decides by the number: as a tensor it would break the graph there."""
    nodes = header(code.statement) if code.statement is not None else ()
    for node in nodes:
        if isinstance(node, ast.If | ast.IfExp) and code.expression in [*ast.walk(node.test)]:
            shown = code.shown(node.test)
            return f"Decide `{shown}` in the caller, and pass the bool." if shown else ""
    return ""


ADVICE = (
    case("manual-seed"),
    case("generator-argument"),
    case("generator-seed"),
    case("python-random", tailored=_tailored),
    case("random-in-place"),
    case("uniform-from"),
)
