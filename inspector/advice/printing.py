"""Text, log records and warnings from compiled code."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code, attribute
from inspector.advice.moving import in_the_caller
from inspector.advice.one_function import under


def _ignoring(method: str) -> str:
    """The setting, as an argument."""
    return f"ignore_logging_functions={{logging.Logger.{method}}}"


def _ignored(code: Code) -> str:
    """How to leave out the very method that is called: others do not count."""
    match code.call:
        case ast.Call(func=ast.Attribute(attr=name)):
            return (
                f"If nobody needs the record: {under(_ignoring(name))} leaves it, and all others "
                "of this method, out of compiled code."
            )
    return ""


ADVICE = (
    case("print", tailored=in_the_caller),
    case("print-reordered"),
    case(
        "stream-write",
        where=lambda code: code.has(attribute("write", "flush")),
        tailored=in_the_caller,
    ),
    case("logging", tailored=in_the_caller),
    case("logging-enabled"),
    case("logging-ignored", tailored=_ignored),
    case("warning", tailored=in_the_caller),
    case("warning-reordered"),
    case("tensor-as-text"),
    case("breakpoint"),
)
