"""Exceptions and frames in compiled code."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice
from inspector.advice.code import Code
from inspector.advice.error_classes import SUPER, leaves
from inspector.advice.kinds import EXCEPTION, METHOD, SKIPPED

FRAME = Advice(
    id="frame-inspection",
    kinds=(SKIPPED,),
    says=r"qualname: _getframe\b",
    title="inspect.stack, inspect.currentframe or sys._getframe",
    fix="Look at the stack in the caller, and pass what is needed of it; a name can be written "
    "as it is.",
    keeps="The outputs; in compiled code the frames are Dynamo's own in any case.",
    instead_of=r"third-party|file an issue|^Avoid calling",
)


def _leaves(code: Code) -> bool:
    """Whether the line raises what nothing catches, or makes it where its class is traced."""
    return isinstance(code.statement, ast.Raise) or leaves(code)


RAISE = Advice(
    id="exception-leaves",
    kinds=(EXCEPTION, SUPER, METHOD),
    says=r"^raised exception|__init__",
    where=_leaves,
    title="an exception that leaves the compiled function",
    fix="Check the arguments in the caller and raise there: a compiled call that raises runs "
    "eagerly.",
    keeps="The outputs and the errors.",
    instead_of=r"^Your code may|^Ensure the attribute accessed",
)

ADVICE = (FRAME, RAISE)
