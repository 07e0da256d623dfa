"""Output from compiled code: print and streams."""

from __future__ import annotations

from inspector.advice.advice import Advice
from inspector.advice.code import attribute
from inspector.advice.kinds import BUILTIN, METHOD
from inspector.advice.moving import in_the_caller
from inspector.advice.one_function import CALLS_ALONE, SETS, under

# Anything else, a shape for one, breaks the graph all the same, with GB0296 (torch 2.11 and 2.13).
_PLAIN = (
    r"(?s)builtin(?: operator)? `?print\b.*argument types "
    r"\[(?:'(?:Tensor|bool|device|dtype|float|int|str)'(?:, )?)*\]"
)
_SETTING = "reorderable_logging_functions={print}"


PRINT = Advice(
    id="print",
    kinds=(BUILTIN,),
    says=r"builtin(?: operator)? `?print\b",
    title="print in compiled code",
    fix="Return what is printed (a `clone()` of a tensor that is written to in place later), and "
    "print it in the caller, outside of the compiled function; from a loop, a list of it.",
    tailored=in_the_caller,
    keeps="Prints the same, when the graph has run; without the `clone()` a tensor that is "
    "written to in place later prints as it is then.",
    instead_of=r"^Avoid calling builtin|logging function",
)

PRINT_REORDERED = Advice(
    id="print-reordered",
    kinds=(BUILTIN,),
    says=_PLAIN,
    title="print in compiled code, left where it is",
    fix=f"To leave it where it is: {under(_SETTING)} lets torch print after the graph instead of "
    "in the middle of it, if no printed tensor is written to in place later: it prints as it is "
    "then.",
    holds_elsewhere=True,
    keeps="Prints the same, in the same order, when the graph has run. Only tensors, constants and "
    "format strings can be printed so; a tensor that is changed in place later prints as it is "
    f"then. {CALLS_ALONE} {SETS}",
    other_way_of=("print", "checkpointed-value"),
)

STREAM = Advice(
    id="stream-write",
    kinds=(METHOD,),
    says=r"`(?:write|flush)` of class `(?:TextIOWrapper|StringIO|EncodedFile|<unknown type>)`"
    r"|TextIOWrapper",
    where=lambda code: code.has(attribute("write", "flush")),
    title="writing to a stream in compiled code",
    fix="Return what is written (a `clone()` of a tensor that is written to in place later), and "
    "write it in the caller, outside of the compiled function, as often and under the same "
    "conditions.",
    tailored=in_the_caller,
    keeps="Writes the same, when the graph has run.",
    instead_of=r"^Avoid calling",
)

ADVICE = (PRINT, PRINT_REORDERED, STREAM)
