"""Context managers and files."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code


def _cached_property(code: Code) -> str:
    """An attribute has no lock of the program's: that of `functools.cached_property` is there."""
    if not isinstance(code.expression, ast.Attribute):
        return ""
    return (
        f"`{code.shown(code.expression) or code.expression.attr}` is computed under a lock that "
        "`functools.cached_property` has before Python 3.12: read it once before the first call of "
        "the compiled function, which finds the value then, or make it a `property`."
    )


def _entered(code: Code) -> ast.expr | None:
    """What is given to `enter_context`."""
    match code.call:
        case ast.Call(func=ast.Attribute(attr="enter_context"), args=[entered]):
            return entered
    return None


def _as_with(code: Code) -> str:
    entered = _entered(code)
    shown = code.shown(entered)
    if not shown or code.call is None:
        return ""
    return (
        f"Write `with {shown}:` in place of `{code.shown(code.call) or 'enter_context'}`, around "
        "what runs in it; where a condition decides, "
        f"`with {shown} if condition else contextlib.nullcontext():`."
    )


ADVICE = (
    case("entered-by-a-stack", where=lambda code: _entered(code) is not None, tailored=_as_with),
    case("lock", tailored=_cached_property),
    case("anomaly-mode"),
    case("context-manager"),
    case("context-variable"),
)
