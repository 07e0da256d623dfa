"""Compilations that ended with an exception."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.advice.lookup import advise_on_error
from inspector.events.graph_break import Cause, parse_causes
from inspector.findings.compile_error_fixes import error_fix
from inspector.findings.constraints import VIOLATION
from inspector.findings.failed_frames import error_text
from inspector.findings.finding import Finding
from inspector.findings.hints import best_hint, further_hints
from inspector.findings.place import fingerprint, make_place
from inspector.findings.rule import Rule
from inspector.findings.severity import Severity
from inspector.model.compilation import Compilation, Failure, Frame
from inspector.model.ended import is_echo
from inspector.model.graph_break import Outcome
from inspector.model.run import Run
from inspector.model.stack import StackFrame, plain_name, user_frame
from inspector.model.summary import is_later, is_measured

__all__ = ["RULE"]


class CompileErrorRule(Rule):
    """A compilation ended with an exception.

    What it means:
        Dynamo or the backend raised an exception while it compiled the function. With
        ``torch._dynamo.config.suppress_errors`` the function then runs eagerly, in silence;
        with ``fullgraph=True`` a graph break is such an exception.

    Why it matters:
        Nothing of the function is compiled, or the program ends here.

    Example:
        ``torch.compile(f, fullgraph=True)`` of a function that calls ``print`` raises
        ``Unsupported: Failed to trace builtin operator``.

    What to do:
        For a graph break under ``fullgraph=True``, fix the line. For a backend's error, try
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
                    is_break = any(b.outcome is Outcome.RAISED for b in item.graph_breaks)
                    if is_break or is_measured(item) or not (item.failure and item.raised):
                        continue
                    # The rule constraint-violation, and the error that the report begins with.
                    if item.failure.type == VIOLATION or is_echo(run, item.failure):
                        continue
                    if item.failure.reason not in seen:
                        seen.add(item.failure.reason)
                        yield _finding(run, frame, item, item.failure)


def _finding(run: Run, frame: Frame, item: Compilation, failure: Failure) -> Finding:
    definition = StackFrame(frame.file, frame.first_line, frame.name)
    place = user_frame(failure.stack, run.roots) or definition
    cause = next(iter(parse_causes(failure.reason)), Cause(None, failure.type))
    message = cause.title if cause.gb_type else error_text(failure)
    shown = make_place(run, place, failure.stack)
    advised = advise_on_error(run, place, shown, cause)
    known = advised.fix if advised else error_fix(cause.explanation or failure.reason)
    return Finding(
        rule=CompileErrorRule.id,
        severity=Severity.ERROR,
        message=message,
        place=shown,
        why=cause.explanation or failure.reason.strip(),
        fix=known or best_hint(cause.hints),
        alternatives=() if known else further_hints(cause.hints),
        example=advised.example if advised else None,
        hints=cause.hints,
        notes=(f"{plain_name(frame.name)} is not compiled ({failure.type})",),
        # The message can hold sizes, addresses and names of temporary files.
        fingerprint=fingerprint(run, place, CompileErrorRule.id, cause.gb_id or failure.type),
        gb_id=cause.gb_id,
        gb_type=cause.gb_type,
        url=cause.url,
        evidence="compilation_metrics",
        later=is_later(item),
    )


RULE = CompileErrorRule()
