"""Recompilations, and frames that hit the recompile limit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.findings.finding import Finding
from inspector.findings.place import fingerprint, make_place
from inspector.findings.rule import Rule
from inspector.findings.severity import Severity
from inspector.model.compilation import Frame
from inspector.model.run import Run
from inspector.model.stack import StackFrame, plain_name
from inspector.model.summary import is_later

__all__ = ["RULE"]

_MOST_REASONS = 4
# The guards' own spelling (torch/_dynamo/guards.py and torch/csrc/dynamo/guards.cpp, 2.13).
_SIZE = re.compile(r"tensor '([^']+)' size mismatch at index (\d+)")
_VALUE = re.compile(r"([^=!<>]+?) == ")
_ENTRY = re.compile(r"^\d+/\d+(?:_\d+)?: ")


class RecompileRule(Rule):
    """A function is compiled again.

    What it means:
        A guard of every compiled version failed, so that Dynamo compiled the function once more.
        After ``torch._dynamo.config.recompile_limit`` versions (8 by default) it stops, and runs
        the function eagerly whenever no version fits.

    Why it matters:
        Each compilation costs seconds with a real backend; behind the limit nothing is compiled.

    Example:
        ``f(x, 1)``, ``f(x, 2)``, ``f(x, 3)``: an int argument is a constant of the graph.

    What to do:
        Make what changes a tensor, keep it constant, or mark the dimension as dynamic
        (``torch._dynamo.mark_dynamic``).
    """

    id = "recompile"
    severity = Severity.WARNING

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per frame that was compiled more than once."""
        for process in run.processes:
            for frame in process.frames:
                again = [item for item in frame.compilations if item.is_recompile or item.hit_limit]
                if again:
                    yield _finding(run, frame)


def _finding(run: Run, frame: Frame) -> Finding:
    again = [item for item in frame.compilations if item.is_recompile]
    limit = any(item.hit_limit for item in frame.compilations)
    place = StackFrame(frame.file, frame.first_line, frame.name)
    name = plain_name(frame.name)
    times = "once more" if len(again) == 1 else f"{len(again)} more times"
    message = f"{name} is compiled {times}"
    if limit:
        message += ", then hits the recompile limit and runs eagerly"
    reasons = [_reason(item.recompile_reasons[0]) for item in again if item.recompile_reasons]
    return Finding(
        rule=RecompileRule.id,
        severity=Severity.ERROR if limit else Severity.WARNING,
        message=message,
        place=make_place(run, place, frame.compilations[-1].stack),
        why=_why(reasons),
        fix=_fix(reasons),
        records=len(again),
        fingerprint=fingerprint(run, place, RecompileRule.id),
        evidence="recompile_reasons",
        later=all(is_later(item) for item in again),
    )


def _why(reasons: list[str]) -> str:
    distinct = list(dict.fromkeys(reasons))
    if not distinct:
        return "torch did not say which guard failed"
    more = len(distinct) - _MOST_REASONS
    lines = [f"this guard failed: {reason}" for reason in distinct[:_MOST_REASONS]]
    return "\n".join([*lines, f"… and {more} more"] if more > 0 else lines)


def _fix(reasons: list[str]) -> str:
    """Advice where the form of the first failed guard says enough."""
    for reason in reasons[:1]:
        size = _SIZE.match(reason)
        if size:
            name, dimension = size.groups()
            return (
                f"Mark the dimension as dynamic before the first call: "
                f"torch._dynamo.mark_dynamic({name}, {dimension}); or compile with dynamic=True."
            )
        value = _VALUE.match(reason)
        if value:
            return (
                f"Keep {value[1]} constant, or pass it as a tensor: a Python value is compiled in."
            )
    return ""


def _reason(text: str) -> str:
    """The failed guard without the cache entry's number and what follows its comment."""
    guard = _ENTRY.sub("", text).partition("\nUser stack trace:")[0]
    return guard.partition("  # ")[0].strip()


RULE = RecompileRule()
