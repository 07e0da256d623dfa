"""Compilations that ended with an exception."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.features.breaks.advice.lookup import advise_on_error
from inspector.features.breaks.compile_error_fixes import (
    error_fix,
    failure_fix,
    kernel_lines,
    named_operator,
)
from inspector.features.breaks.hints import best_hint, further_hints
from inspector.report.failed_frames import CompilerError, compiler_error, error_text
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.run.compilation import Compilation, Failure, Frame
from inspector.run.ended import is_echo, is_echoed_break
from inspector.run.graph_break import Outcome
from inspector.run.run import Process, Run
from inspector.run.summary import is_later, is_measured
from inspector.shared.stack import StackFrame, plain_name, user_frame
from inspector.trace.graph_break import Cause, parse_causes

_VIOLATION = "ConstraintViolationError"  # torch/fx/experimental/symbolic_shapes.py
# Of an operator's arguments Inductor prints the whole intermediate representation.
_DUMP = re.compile(r"\n\s*args\[0\]: ")


class CompileErrorRule(Rule[Run, Finding]):
    """A compilation ended with an exception.

    What it means:
        Dynamo or the backend raised an exception while compiling the function. With
        ``torch._dynamo.config.suppress_errors`` the function then silently runs eagerly. With
        ``fullgraph=True`` a graph break raises such an exception.

    Why it matters:
        The function is not compiled, or the program stops here.

    Example:
        ``torch.compile(f, fullgraph=True)`` of a function that calls ``print`` raises
        ``Unsupported: Failed to trace builtin operator``.

    What to do:
        For a graph break under ``fullgraph=True``, fix the line. For a backend error, try
        ``--backend eager`` and ``--backend aot_eager`` to see which stage fails.
    """

    id = "compile-error"
    severity = Severity.ERROR

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per frame and exception."""
        for process in run.processes:
            for frame in process.frames:
                seen: set[str] = set()
                for item in frame.compilations:
                    # A break that fullgraph=True made an error is a graph break.
                    is_break = any(
                        b.outcome is Outcome.RAISED or is_echoed_break(run, b)
                        for b in item.graph_breaks
                    )
                    if is_break or is_measured(item) or not (item.failure and item.raised):
                        continue
                    # The rule constraint-violation, and the error that the report begins with.
                    if item.failure.type == _VIOLATION or is_echo(run, item.failure):
                        continue
                    if item.failure.reason not in seen:
                        seen.add(item.failure.reason)
                        yield _finding(run, process, frame, item, item.failure)


def _finding(
    run: Run, process: Process, frame: Frame, item: Compilation, failure: Failure
) -> Finding:
    definition = StackFrame(frame.file, frame.first_line, frame.name)
    cause = next(iter(parse_causes(failure.reason)), Cause(None, failure.type))
    said = cause.explanation or failure.reason.strip()
    short = _DUMP.split(said, maxsplit=1)[0]
    error = compiler_error(failure.reason)
    kernel, lines = (
        kernel_lines(run, process, str(item.compile_id), failure.reason, error)
        if error
        else ("", ())
    )
    raised = user_frame(failure.stack, run.roots)
    operator = lines[-1] if lines else None
    if not (operator or failure.has_operator or error):
        operator = named_operator(run, process, str(item.compile_id), error_text(failure))
    place = operator or raised or definition
    stack = (*item.stack, operator) if operator else failure.stack
    # The message can hold sizes, addresses and names of temporary files.
    at = RULE.at(run, place, cause.gb_id or failure.type, stack=stack)
    advised = advise_on_error(run, place, at["place"], cause)
    has_line = operator is not None or failure.has_operator
    avoided = failure_fix(frame, item, failure, error, has_line=has_line)
    known = advised.fix if advised else error_fix(said) or avoided
    return Finding(
        **at,
        message=cause.title if cause.gb_type else error_text(failure),
        why=_why(error, kernel) if error else short,
        fix=known or best_hint(cause.hints),
        alternatives=() if known else further_hints(cause.hints),
        example=advised.example if advised else None,
        hints=cause.hints,
        notes=(
            f"{plain_name(frame.name)} is not compiled ({failure.type})",
            *_elsewhere(run, lines, raised if operator and not lines else None),
        ),
        gb_id=cause.gb_id,
        gb_type=cause.gb_type,
        url=cause.url,
        evidence="compilation_metrics",
        later=is_later(item),
        output=failure.reason.strip() if error or short != said else "",
    )


def _why(error: CompilerError, kernel: str) -> str:
    """The first error of the compiler, whose output may have hundreds of lines before it."""
    where = f" in kernel `{kernel}`" if kernel else ""
    at = f" (line {error.line} of the generated code)" if error.line and error.code else ""
    said = f"error{where}: {error.said}{at}"
    return f"{said}\n    {error.code}" if error.code else said


def _elsewhere(run: Run, lines: tuple[StackFrame, ...], raised: StackFrame | None) -> Iterator[str]:
    """What else of the user's own has to do with it."""
    if raised is not None:
        yield f"raised at {run.roots.shown(raised.file)}:{raised.line}"
    others = [f"{run.roots.shown(line.file)}:{line.line}" for line in lines[:-1]]
    if others:
        yield f"the kernel also computes {', '.join(others)}"


RULE = CompileErrorRule()
