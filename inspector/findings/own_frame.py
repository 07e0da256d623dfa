"""Functions that are compiled on their own because a graph break gave up what calls them."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.model.compilation import Frame, FrameState
from inspector.model.graph_break import GraphBreak, Outcome
from inspector.model.run import Process
from inspector.model.stack import StackFrame, is_resumed, plain_name

__all__ = ["given_up_caller"]


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
            record = _gave_up(item)
            if record is not None:
                return record
        if any(item.state is FrameState.COMPILED for item in frames):
            return None  # what it calls is its own doing
    return None


def _gave_up(frame: Frame) -> GraphBreak | None:
    records = (record for item in frame.compilations for record in item.graph_breaks)
    return next(
        (
            record
            for record in records
            if record.outcome is Outcome.FRAME_SKIPPED
            and record.caused_by is None
            and record.user is not None
        ),
        None,
    )
