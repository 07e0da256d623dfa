"""Where an exception was raised that ends a compilation: torch's log leaves out what caused it."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator

from inspector.capture.roots import recorded_roots
from inspector.capture.sources import SourceWriter
from inspector.capture.writer import emit
from inspector.events.inside_compiler import inside_compiler
from inspector.model.roots import Owner
from inspector.records.graph_breaks import OperatorRaised
from inspector.records.stack import StackFrame


def write_operator_raised(sources: SourceWriter) -> None:
    """Writes the user's frames of the operator whose implementation raised, if one did.

    Dynamo raises an error of a fake implementation again ``from None``
    (``_wrap_graph_break_with_torch_runtime_err`` in torch/_dynamo/utils.py, 2.13).

    Args:
        sources: Gets their source.
    """
    frames = add_operator_raised(sources)
    if frames:
        emit(OperatorRaised(tuple(frames)))


def add_operator_raised(sources: SourceWriter) -> list[StackFrame]:
    """The user's frames of the operator whose implementation raised; empty where none did.

    Args:
        sources: Gets their source.
    """
    roots = recorded_roots()
    for error in reversed([*_chain(sys.exc_info()[1])]):
        _, frames = inside_compiler([*_frames(error)])
        own = [frame for frame in frames if roots.owner(frame.file) is Owner.PROJECT]
        if own:
            for frame in own:
                sources.add(frame.file, frame.line)
            return own
    return []


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and what caused it, the first cause last."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _frames(error: BaseException) -> Iterator[StackFrame]:
    for frame in traceback.extract_tb(error.__traceback__):
        yield StackFrame(frame.filename, frame.lineno or 0, frame.name, frame.line or "")
