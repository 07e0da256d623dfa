"""Context managers and files."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import Code
from inspector.advice.kinds import CONTEXT, INLINED, METHOD, SKIPPED

_SKIP_HINTS = r"dont_skip_tracing|^Avoid (?:calling|using)|file an issue"


def _cached_property(code: Code) -> str:
    """An attribute has no lock of the program's: that of `functools.cached_property` is there."""
    if not isinstance(code.expression, ast.Attribute):
        return ""
    return (
        f"`{code.shown(code.expression) or code.expression.attr}` is computed under a lock that "
        "`functools.cached_property` has before Python 3.12: read it once before the first call of "
        "the compiled function, which finds the value then, or make it a `property`."
    )


LOCK = Advice(
    id="lock",
    kinds=(CONTEXT, METHOD),
    says=r"_thread\.(?:lock|RLock)|\block\b|RLock",
    title="a lock in compiled code",
    fix="Hold the lock in the caller, around the compiled call.",
    tailored=_cached_property,
    keeps="The outputs; the lock is held longer.",
    instead_of=_SKIP_HINTS,
)

ANOMALY = Advice(
    id="anomaly-mode",
    kinds=(INLINED, CONTEXT),
    says=r"anomaly",
    title="detect_anomaly in compiled code",
    fix="Enter it in the caller, around the compiled call and its backward pass.",
    keeps="The outputs. Anomalies of a compiled backward pass are reported at its graph, not at an "
    "operator.",
    instead_of=_SKIP_HINTS,
)

REDIRECT = Advice(
    id="context-manager",
    kinds=(Kind("GB0262", "unsupported contextlib.* API"), CONTEXT),
    title="a context manager that Dynamo does not know",
    fix="Enter it in the caller, around the compiled call, if the rest of the function may be in "
    "it; else make what is in it a compiled function of its own.",
    keeps="The outputs, for one that changes nothing for the rest of the function: it is entered "
    "around the whole of it (`suppress` would end all of it at an error).",
)

CONTEXT_VARIABLE = Advice(
    id="context-variable",
    kinds=(METHOD,),
    says=r"\(ContextVar\) get\b|`get` of class `ContextVar`",
    title="a ContextVar read in compiled code",
    fix="Read it in the caller, and pass the value.",
    keeps="The outputs; a number or a text that is another one each time is compiled for again, as "
    "any argument is.",
    instead_of=_SKIP_HINTS,
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


ENTERED = Advice(
    id="entered-by-a-stack",
    kinds=(SKIPPED,),
    says=r"\w+\.__enter__",
    where=lambda code: _entered(code) is not None,
    title="a context manager of torch's that an ExitStack enters",
    fix="Write `with` in place of `enter_context`: Dynamo knows the context managers of torch by "
    "that alone.",
    tailored=_as_with,
    keeps="The outputs and gradients.",
    instead_of=_SKIP_HINTS,
    # In 2.11 it is a break without an id.
    tested_on=("2.12", "2.13"),
)

ADVICE = (ENTERED, LOCK, ANOMALY, REDIRECT, CONTEXT_VARIABLE)
