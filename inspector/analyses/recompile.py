"""Recompilations, and frames that hit the recompile limit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.findings.finding import Finding
from inspector.findings.place import fingerprint, frame_kind, make_place
from inspector.findings.rule import Rule
from inspector.findings.severity import Severity
from inspector.model.compilation import Frame
from inspector.model.run import Run
from inspector.model.stack import StackFrame, plain_name, shown_name, user_frame
from inspector.model.summary import is_later

__all__ = ["RULE"]

_MOST_REASONS = 4
# The guards' own spelling (torch/_dynamo/guards.py and torch/csrc/dynamo/guards.cpp, 2.13).
_SIZE = re.compile(r"tensor '([^']+)' size mismatch at index (\d+)")
_VALUE = re.compile(r"([^=!<>]+?) == ")
_ADDRESS = re.compile(r"\b\d{12,}\b")
_KEPT = re.compile(r"___stack\d+")
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
    refused = [item for item in frame.compilations if item.hit_limit]
    place = _place(run, frame)
    reasons = [_reason(i.recompile_reasons[0]) for i in again + refused if i.recompile_reasons]
    return Finding(
        rule=RecompileRule.id,
        severity=Severity.ERROR if refused else Severity.WARNING,
        message=_message(_name(run, frame), len(again), refused=bool(refused)),
        place=make_place(run, place, frame.compilations[-1].stack),
        why=_why(reasons),
        fix=_fix(reasons),
        records=len(again) + len(refused),
        fingerprint=fingerprint(
            run, place, RecompileRule.id, frame_kind(run, frame.file, frame.name)
        ),
        evidence="recompile_reasons",
        later=all(is_later(item) for item in again + refused),
    )


def _message(name: str, times: int, *, refused: bool) -> str:
    often = {0: "", 1: "is compiled once more"}.get(times, f"is compiled {times} more times")
    limit = "hits the recompile limit and then runs eagerly" if refused else ""
    return f"{name} {' and '.join(part for part in (often, limit) if part)}"


def _name(run: Run, frame: Frame) -> str:
    qualified = run.sources.qualname(frame.file, frame.first_line)
    shown = shown_name(frame.name)
    return shown.replace(plain_name(frame.name), qualified, 1) if qualified else shown


def _place(run: Run, frame: Frame) -> StackFrame:
    """The function's definition; where that is torch's own, the user's line that called it."""
    if not run.roots.is_user(frame.file):
        caller = user_frame(frame.compilations[0].stack, run.roots)
        if caller is not None:
            return caller
    line = frame.first_line
    while (run.sources.line(frame.file, line) or "").lstrip().startswith("@"):
        line += 1  # a code object begins at its first decorator
    return StackFrame(frame.file, line, frame.name)


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
    guard = _ENTRY.sub("", text).partition("\nUser stack trace:")[0].partition("  # ")[0]
    # Addresses differ from run to run, and say nothing.
    return _KEPT.sub("a value kept over a graph break", _ADDRESS.sub("…", guard)).strip()


RULE = RecompileRule()
