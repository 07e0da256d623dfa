"""Advice that needs the run's other records: another break or another call has the cause."""

from __future__ import annotations

import ast

from inspector.features.breaks.advice.advice import BRANCH, EXCEPTION
from inspector.features.breaks.advice.caught import catcher
from inspector.features.breaks.hints import raised
from inspector.features.recompiles.case import is_bool_and_tensor
from inspector.report.place import qualified_name
from inspector.report.user_code.call_site import user_spelling
from inspector.report.user_code.code import Code, dotted_name
from inspector.run.graph_break import GraphBreak, Outcome
from inspector.run.run import Run
from inspector.run.source import expression
from inspector.shared.stack import StackFrame, plain_name

_GIVEN_UP = frozenset({Outcome.FRAME_SKIPPED, Outcome.REST_SKIPPED})


def reraised(run: Run, record: GraphBreak, code: Code) -> str:
    """Where to look for what raises, if the line is of a ``finally``; an empty string otherwise.

    That is the line of another record of the same exception, or else the ``try``.
    """
    exception = raised(record.cause)
    block = _tried(code) if exception else None
    if block is None:
        return ""
    first, last = block[0].lineno, block[-1].end_lineno or block[-1].lineno
    within, file = range(first, last + 1), record.user.file if record.user else ""
    for item in run.graph_breaks:
        place = item.user
        if place is None or raised(item.cause) != exception or _at(item) == _at(record):
            continue
        # An equal exception of other code has nothing to do with it.
        if any(each.file == file and each.line in within for each in (place, *item.stack)):
            where = f"{run.roots.shown(place.file)}:{place.line}"
            return f"Fix {where}, which raises it: this line only lets it pass."
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    if _can_raise(code.statement):
        return (
            f"{exception} is raised here, or in the `try` ({lines}), whose `finally` lets it pass: "
            "ask beforehand for what raises it."
        )
    return (
        f"Look into the `try` ({lines}), where {exception} is raised, and ask beforehand for what "
        "raises it: the `finally` only lets it pass."
    )


def _can_raise(statement: ast.stmt | None) -> bool:
    """Whether the statement of the ``finally`` may raise itself."""
    kinds = (ast.Raise, ast.Assert, ast.Call, ast.Subscript, ast.Attribute)
    nodes = ast.walk(statement) if statement is not None else ()
    return any(isinstance(node, kinds) for node in nodes)


def _tried(code: Code) -> list[ast.stmt] | None:
    """What is tried of the innermost ``try`` whose ``finally`` holds the statement."""
    blocks = (node for node in code.walk() if isinstance(node, ast.Try))
    around = [
        node
        for node in blocks
        if any(inner is code.statement for part in node.finalbody for inner in ast.walk(part))
    ]
    return around[-1].body if around else None


def _at(record: GraphBreak) -> tuple[str, int] | None:
    return (record.user.file, record.user.line) if record.user else None


def bool_elsewhere(run: Run, record: GraphBreak, code: Code) -> str:
    """What to pass where other calls show that a bool will do; empty where none does.

    `torch.where` would not take that bool.
    """
    name = _decided_by(code) if record.cause.gb_id == BRANCH.gb_id else ""
    own = (record.frame_file, plain_name(record.frame_name))
    frames = (frame for process in run.processes for frame in process.frames)
    found = (
        item.recompile
        for frame in frames
        if (frame.file, plain_name(frame.name)) == own
        for item in frame.compilations
        if item.recompile is not None and is_bool_and_tensor(item.recompile)
    )
    if not name or not any(user_spelling(item.name) == name for item in found):
        return ""
    return (
        f"Pass `{name}` as a Python bool in every call, as other calls do: `bool({name})` in the "
        "caller. Each value is compiled once."
    )


def _decided_by(code: Code) -> str:
    """The one name that the branch asks for, or an empty string."""
    tests = [
        node.test for node in code.header() if isinstance(node, ast.If | ast.IfExp | ast.While)
    ]
    match tests:
        case [ast.UnaryOp(op=ast.Not(), operand=test)] | [test]:
            return dotted_name(test)
    return ""


def caught_by_caller(run: Run, record: GraphBreak, code: Code) -> str:
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
        f"Fix {run.roots.shown(first.user.file)}:{first.user.line} first ({first.cause.title}): "
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
    made = expression(raised(record.cause))
    return ast.Raise(exc=made) if made is not None else None


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
