"""Text, log records and warnings from compiled code."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import Code, attribute
from inspector.advice.kinds import BUILTIN, METHOD, SKIPPED
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


LOGGING = Advice(
    id="logging",
    kinds=(Kind("GB0291", "logging.Logger method not supported for non-export cases"),),
    title="a logger in compiled code",
    fix="Return what is logged (a `clone()` of a tensor that is written to in place later), and "
    "log it in the caller, outside of the compiled function, as often and under the same "
    "conditions.",
    tailored=in_the_caller,
    keeps="Logs the same records, when the graph has run; without the `clone()` a tensor that is "
    "written to in place later is logged as it is then.",
)


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


LOGGING_IGNORED = Advice(
    id="logging-ignored",
    kinds=LOGGING.kinds,
    says=r"\A(?![\s\S]*isEnabledFor)",
    title="a logger in compiled code whose records nobody needs",
    fix=f"If nobody needs the record: {under(_ignoring('warning'))}, with the very method that is "
    "called in the place of `warning`, leaves it out of compiled code.",
    tailored=_ignored,
    holds_elsewhere=True,
    keeps=f"The outputs. The records are lost. {CALLS_ALONE} {SETS}",
    is_silent=True,
    other_way_of=("logging", "checkpointed-value"),
    instead_of=r"ignore_logging_functions",
)

LOGGING_ENABLED = Advice(
    id="logging-enabled",
    kinds=LOGGING.kinds,
    says=r"isEnabledFor",
    title="a logger in compiled code that is asked for its level",
    fix=f"If nobody needs what is logged there: {under(_ignoring('isEnabledFor'))} has compiled "
    "code take every logger for disabled; a `LoggerAdapter` asks in each of its methods, whatever "
    "its level.",
    holds_elsewhere=True,
    keeps=f"The outputs. The records are lost. {CALLS_ALONE} {SETS}",
    is_silent=True,
    other_way_of=("logging",),
    instead_of=r"ignore_logging_functions",
)

WARNING = Advice(
    id="warning",
    kinds=(SKIPPED,),
    says=r"module: _?warnings, qualname: warn\b",
    title="warnings.warn in compiled code",
    fix="Warn in the caller under the same conditions: before the compiled function is called "
    "where they are known there, else with a condition that it returns.",
    tailored=in_the_caller,
    keeps="Warns in the same cases, before the graph runs.",
    instead_of=r"logging function|file an issue",
)

_WARNING = "reorderable_logging_functions={warnings.warn}"

WARNING_REORDERED = Advice(
    id="warning-reordered",
    kinds=(SKIPPED,),
    says=WARNING.says,
    title="warnings.warn in compiled code, left where it is",
    fix=f"To leave it where it is: {under(_WARNING)} lets torch warn after the graph instead of in "
    "the middle of it.",
    holds_elsewhere=True,
    keeps=f"Warns in the same cases, when the graph has run. {CALLS_ALONE} {SETS}",
    other_way_of=("warning",),
)


TENSOR_TEXT = Advice(
    id="tensor-as-text",
    kinds=(Kind("GB0569", "repr() on tensor"), BUILTIN),
    says=r"builtin(?: operator)? `?(?:str|repr)\b.*\bTensor|repr.*[Tt]ensor",
    title="str or repr of a tensor",
    fix="Return the tensor (a `clone()` where it is written to in place later), and make text of "
    "it in the caller: its digits exist only when the graph has run.",
    keeps="The same text.",
    instead_of=r"^Avoid calling builtin|logging function",
)

BREAKPOINT = Advice(
    id="breakpoint",
    kinds=(BUILTIN,),
    says=r"builtin(?: operator)? `?breakpoint\b",
    title="breakpoint() in compiled code",
    fix="Remove it, or debug without compiling: `TORCH_COMPILE_DISABLE=1`, or "
    '`torch.compiler.set_stance("force_eager")`, runs the same code eagerly.',
    keeps="The outputs; nothing stops there any more.",
    instead_of=r"^Avoid calling builtin|logging function",
)

ADVICE = (
    PRINT,
    PRINT_REORDERED,
    STREAM,
    LOGGING,
    LOGGING_ENABLED,
    LOGGING_IGNORED,
    WARNING,
    WARNING_REORDERED,
    TENSOR_TEXT,
    BREAKPOINT,
)
