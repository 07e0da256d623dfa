"""Exceptions that a ``finally`` only lets pass: torch gives the last line that it traced."""

from __future__ import annotations

import ast

from inspector.advice.code import Code
from inspector.findings.raised import raised
from inspector.model.graph_break import GraphBreak
from inspector.model.run import Run

__all__ = ["passed_on"]


def passed_on(run: Run, record: GraphBreak, code: Code) -> str:
    """Where to look for what raises, if the line is of a ``finally``; an empty string otherwise.

    That is the line of another record of the same exception, or else the ``try``.
    """
    exception = raised(record.cause)
    block = _tried(code) if exception else None
    if block is None:
        return ""
    found = (item.user for item in run.graph_breaks if raised(item.cause) == exception)
    for place in found:
        if place is not None and (place.file, place.line) != _at(record):
            where = f"{run.roots.shown(place.file)}:{place.line}"
            return f"Mend {where}, which raises it: this line only lets it pass."
    first, last = block[0].lineno, block[-1].end_lineno or block[-1].lineno
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    return (
        f"Look into the `try` ({lines}), where {exception} is raised, and ask beforehand for what "
        "raises it: the `finally` only lets it pass."
    )


def _tried(code: Code) -> list[ast.stmt] | None:
    """What is tried of the innermost ``try`` whose ``finally`` holds the statement."""
    nodes = ast.walk(code.function) if code.function is not None else ()
    around = [node for node in nodes if isinstance(node, ast.Try) and _holds(node, code.statement)]
    return around[-1].body if around else None


def _holds(node: ast.Try, statement: ast.stmt | None) -> bool:
    return any(inner is statement for part in node.finalbody for inner in ast.walk(part))


def _at(record: GraphBreak) -> tuple[str, int] | None:
    return (record.user.file, record.user.line) if record.user else None
