"""Compilations that fail: Dynamo keeps nothing of them, so that every call like them fails again.

Tried with torch 2.11 and 2.13: with ``fullgraph=True`` and with a backend that raises. What
``suppress_errors`` lets pass is skipped from then on, and no call compiles it again.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspector.findings.failed_frames import error_text
from inspector.model.compilation import Compilation, Frame
from inspector.model.graph_break import Outcome
from inspector.model.recompile import Answer, Recompile
from inspector.model.roots import Roots
from inspector.model.stack import StackFrame, user_frame


def all_failed(items: Sequence[Recompile]) -> bool:
    """Whether nothing was kept of any of them."""
    return all(item.answer is Answer.FAILED for item in items)


def mend_failure(frame: Frame, items: Sequence[Recompile], roots: Roots) -> tuple[str, ...]:
    """What to do about compilations that fail; nothing about others.

    Args:
        frame: The function.
        items: Its recompilations for one reason.
        roots: Whose code a file is.
    """
    if not all_failed(items):
        return ()
    ids = {item.compile_id for item in items}
    failed = [each for each in frame.compilations if each.compile_id in ids]
    found = dict.fromkeys(text for each in failed for text in _fails_at(each, roots))
    what = " and ".join([*found][:2]) or "what makes it fail"
    mend = (
        f"Mend {what}: nothing is kept of a compilation that fails, so that every call like this "
        "one compiles again and fails again."
    )
    return (mend, _ONE_GRAPH) if any(map(_is_for_fullgraph, failed)) else (mend,)


_ONE_GRAPH = "Without fullgraph=True it is no error: the graph ends there, or all runs eagerly."


def _is_for_fullgraph(item: Compilation) -> bool:
    return any(record.outcome is Outcome.RAISED for record in item.graph_breaks)


def _fails_at(item: Compilation, roots: Roots) -> tuple[str, ...]:
    """``the graph break at model.py:5 (Failed to trace builtin operator)``; empty where unknown."""
    record = next((r for r in item.graph_breaks if r.outcome is Outcome.RAISED), None)
    if record is not None:
        return (f"the graph break{_place(record.user, roots)} ({record.cause.title})",)
    if item.failure is None:
        return ()
    place = user_frame(item.failure.stack, roots)
    return (f"the compile error{_place(place, roots)} ({error_text(item.failure)})",)


def _place(frame: StackFrame | None, roots: Roots) -> str:
    return f" at {roots.shown(frame.file)}:{frame.line}" if frame is not None else ""
