"""The graph break over which a value was handed on to the function that goes on behind it."""

from __future__ import annotations

import dataclasses

from inspector.model.compilation import Frame
from inspector.model.graph_break import GraphBreak
from inspector.model.recompile import Origin, Recompile
from inspector.model.run import Run
from inspector.model.stack import StackFrame, plain_name, resumed_line

__all__ = ["BreakBefore", "break_before", "is_kept"]

_LOCAL = frozenset({Origin.ARGUMENT, Origin.UNKNOWN})


@dataclasses.dataclass(frozen=True, slots=True)
class BreakBefore:
    """The break behind which a function goes on.

    Attributes:
        place: Its line; of a break in a function that was called, the line in there.
        title: What broke, in a few words, or an empty string.
    """

    place: StackFrame
    title: str


def break_before(run: Run, frame: Frame) -> BreakBefore | None:
    """Where the graph broke, for a function that Dynamo made; None for the user's own.

    Where no record of a break goes through the line at which the function goes on, that line is all
    that is known.
    """
    line = resumed_line(frame.name)
    if line is None:
        return None
    name = plain_name(frame.name)
    found = [item for item in run.graph_breaks if _goes_through(item, frame.file, line)]
    # One site breaks every function that it is inlined into.
    own = [item for item in found if plain_name(item.frame_name) == name]
    for item in own or found:
        if item.user is not None:
            return BreakBefore(item.user, item.cause.title)
    return BreakBefore(StackFrame(frame.file, line, name), "")


def _goes_through(record: GraphBreak, file: str, line: int) -> bool:
    return any(
        frame.file == file and frame.line <= line <= (frame.end_line or frame.line)
        for frame in (*record.stack, *(() if record.user is None else (record.user,)))
    )


def is_kept(item: Recompile) -> bool:
    """Whether what changes is a local of the function itself, and no attribute or global."""
    return item.origin in _LOCAL or item.name.startswith("___stack")
