"""Functions that are compiled on their own because of a graph break: in them, or in a caller."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.model.compilation import Frame, FrameState
from inspector.model.graph_break import GraphBreak, Outcome
from inspector.model.run import Process
from inspector.model.stack import StackFrame, is_resumed, plain_name


def given_up_caller(
    process: Process, frame: Frame, stack: Sequence[StackFrame]
) -> GraphBreak | None:
    """The graph break without which a function is traced as a part of what calls it, or None.

    Args:
        process: The process that compiled it.
        frame: The function.
        stack: The stack down to it, outermost first.
    """
    if is_resumed(frame.name):
        return None
    for caller in reversed(stack[:-1]):
        name = caller.file, plain_name(caller.name)
        frames = [item for item in process.frames if (item.file, plain_name(item.name)) == name]
        for item in frames:
            record = _gave_up(item) or _broke_in(item, frame)
            if record is not None:
                return record
        if any(item.state is FrameState.COMPILED for item in frames):
            return None  # what it calls is its own doing
    return None


def _gave_up(caller: Frame) -> GraphBreak | None:
    """The graph break because of which all of the caller runs eagerly."""
    return next((r for r in _records(caller) if r.outcome is Outcome.FRAME_SKIPPED), None)


def _broke_in(caller: Frame, frame: Frame) -> GraphBreak | None:
    """The graph break that the caller met in the function, so that it calls it from outside."""
    own = frame.file, plain_name(frame.name)
    return next(
        (
            record
            for record in _records(caller)
            if any((place.file, plain_name(place.name)) == own for place in record.stack)
        ),
        None,
    )


def _records(frame: Frame) -> Iterator[GraphBreak]:
    for item in frame.compilations:
        yield from (r for r in item.graph_breaks if r.caused_by is None and r.user is not None)
