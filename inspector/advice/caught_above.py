"""Errors that a caller catches which Dynamo gave up: compiled with it, they were handled there."""

from __future__ import annotations

import ast

from inspector.advice.caught import catcher
from inspector.advice.code import Code
from inspector.advice.kinds import EXCEPTION
from inspector.findings.place import qualified_name
from inspector.findings.raised import raised
from inspector.model.graph_break import GraphBreak, Outcome
from inspector.model.run import Run
from inspector.model.stack import StackFrame, plain_name

_GIVEN_UP = frozenset({Outcome.FRAME_SKIPPED, Outcome.REST_SKIPPED})


def caught_above(run: Run, record: GraphBreak, code: Code) -> str:
    """Which graph break comes first, where a caller would catch the error; else an empty string.

    A `raise` in a helper is no graph break where what catches it is compiled (torch 2.11 to 2.13).
    """
    error = _error(record, code)
    found = catcher(code, error) if error is not None else None
    caller = _frame(record, found.code) if found is not None else None
    first = _given_up(run, caller) if caller is not None else None
    if caller is None or first is None or first.user is None:
        return ""
    name = qualified_name(run, first.frame_name, first.frame_file, first.frame_line)
    called = f"`{code.function.name}`" if code.function is not None else "this function"
    return (
        f"Mend {run.roots.shown(first.user.file)}:{first.user.line} first ({first.cause.title}): "
        f"there Dynamo gives up {name}, which catches the error where it calls {called} "
        f"({run.roots.shown(caller.file)}:{caller.line}). Once that is compiled, {called} is a "
        "part of it and Dynamo follows the error into the `except`: this line can stay as it is."
    )


def _error(record: GraphBreak, code: Code) -> ast.Raise | None:
    """What is raised, by the statement itself or by what it calls."""
    if record.cause.gb_id != EXCEPTION.gb_id:
        return None
    if isinstance(code.statement, ast.Raise):
        return code.statement
    try:
        made = ast.parse(raised(record.cause), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return ast.Raise(exc=made)


def _frame(record: GraphBreak, catching: Code) -> StackFrame | None:
    """The caller that catches it, if that is none of what was compiled together with the line."""
    own = (record.frame_file, plain_name(record.frame_name))
    names = [(frame.file, plain_name(frame.name)) for frame in record.stack]
    compiled = max((n for n, name in enumerate(names) if name == own), default=0)
    function = catching.function
    if function is None:
        return None
    lines = range(function.lineno, (function.end_lineno or function.lineno) + 1)
    for frame in reversed(record.stack[:compiled]):
        if plain_name(frame.name) == function.name and frame.line in lines:
            return frame
    return None


def _given_up(run: Run, caller: StackFrame) -> GraphBreak | None:
    """The graph break for which all of a function runs eagerly, or what is behind it."""
    own = (caller.file, plain_name(caller.name))
    found = (
        item
        for item in run.graph_breaks
        if (item.frame_file, plain_name(item.frame_name)) == own and item.caused_by is None
    )
    return next((item for item in found if item.user and item.outcome in _GIVEN_UP), None)
