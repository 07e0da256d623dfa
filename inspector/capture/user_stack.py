"""The stack of whoever calls, without torch."""

from __future__ import annotations

import sys
from types import FrameType

from inspector.capture import versions
from inspector.capture.roots import recorded_roots
from inspector.capture.sources import SourceWriter
from inspector.model.roots import Owner
from inspector.model.stack import StackFrame, is_resumed

_MOST_FRAMES = 30
_BETWEEN = frozenset({Owner.TORCH, Owner.STDLIB})


def user_stack(sources: SourceWriter) -> tuple[StackFrame, ...]:
    """The frames of this thread that are neither torch's, nor generated, nor ours, outermost first.

    Args:
        sources: Gets their source.
    """
    roots = recorded_roots()
    generated = versions.generated_code_folder()
    frames: list[StackFrame] = []
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - what `inspect` calls, too
    while frame is not None and len(frames) < _MOST_FRAMES:
        code = frame.f_code
        owner = roots.owner(code.co_filename)
        is_generated = bool(generated) and code.co_filename.startswith(generated)
        if not is_generated and owner in (Owner.PROJECT, Owner.LIBRARY, Owner.GENERATED):
            line = frame.f_lineno or code.co_firstlineno
            frames.append(StackFrame(code.co_filename, line, code.co_name))
            sources.add(code.co_filename, line)
        frame = frame.f_back
    return tuple(reversed(frames))


def calling_frame() -> StackFrame | None:
    """The innermost frame behind the function that Dynamo is about to compile that is the user's.

    None where that is none of the user's: a target is called by us, and what goes on behind a graph
    break by the function that broke.
    """
    conversion = versions.frame_of_conversion()
    if conversion is None or is_resumed(conversion[0].co_name):
        return None
    frame: FrameType | None = conversion[1]
    roots = recorded_roots()
    while frame is not None and roots.owner(frame.f_code.co_filename) in _BETWEEN:
        frame = frame.f_back
    if frame is None or roots.owner(frame.f_code.co_filename) is Owner.RECORDER:
        return None
    code = frame.f_code
    return StackFrame(code.co_filename, frame.f_lineno or 0, code.co_name)
