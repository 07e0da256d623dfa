"""Exceptions that a ``finally`` only lets pass: torch gives the last line that it traced."""

from __future__ import annotations

import ast

from inspector.advice.code import Code
from inspector.findings.raised import raised
from inspector.model.graph_break import GraphBreak
from inspector.model.run import Run
from inspector.model.stack import StackFrame


def passed_on(run: Run, record: GraphBreak, code: Code) -> str:
    """Where to look for what raises, if the line is of a ``finally``; an empty string otherwise.

    That is the line of another record of the same exception, or else the ``try``.
    """
    exception = raised(record.cause)
    block = _tried(code) if exception else None
    if block is None:
        return ""
    first, last = block[0].lineno, block[-1].end_lineno or block[-1].lineno
    within = range(first, last + 1)
    for item in run.graph_breaks:
        place = item.user
        if place is None or raised(item.cause) != exception or _at(item) == _at(record):
            continue
        # An equal exception of other code has nothing to do with it.
        if any(_is_in(each, record, within) for each in (place, *item.stack)):
            where = f"{run.roots.shown(place.file)}:{place.line}"
            return f"Mend {where}, which raises it: this line only lets it pass."
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


def _is_in(place: StackFrame, record: GraphBreak, lines: range) -> bool:
    """Whether a frame is in the ``try``."""
    return record.user is not None and place.file == record.user.file and place.line in lines


def _can_raise(statement: ast.stmt | None) -> bool:
    """Whether the statement of the ``finally`` may raise itself."""
    kinds = (ast.Raise, ast.Assert, ast.Call, ast.Subscript, ast.Attribute)
    nodes = ast.walk(statement) if statement is not None else ()
    return any(isinstance(node, kinds) for node in nodes)


def _tried(code: Code) -> list[ast.stmt] | None:
    """What is tried of the innermost ``try`` whose ``finally`` holds the statement."""
    nodes = ast.walk(code.function) if code.function is not None else ()
    around = [node for node in nodes if isinstance(node, ast.Try) and _holds(node, code.statement)]
    return around[-1].body if around else None


def _holds(node: ast.Try, statement: ast.stmt | None) -> bool:
    return any(inner is statement for part in node.finalbody for inner in ast.walk(part))


def _at(record: GraphBreak) -> tuple[str, int] | None:
    return (record.user.file, record.user.line) if record.user else None
