"""The stack of whoever calls, without torch."""

from __future__ import annotations

import sys
from types import FrameType

from inspector.capture import versions
from inspector.capture.roots import recorded_roots
from inspector.capture.sources import SourceWriter
from inspector.model.roots import Owner

__all__ = ["user_stack"]

_MOST_FRAMES = 30


def user_stack(sources: SourceWriter) -> list[dict[str, object]]:
    """The frames of this thread that are neither torch's, nor generated, nor ours, outermost first.

    Args:
        sources: Gets their source.
    """
    roots = recorded_roots()
    generated = versions.generated_code_folder()
    frames: list[dict[str, object]] = []
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - what `inspect` calls, too
    while frame is not None and len(frames) < _MOST_FRAMES:
        code = frame.f_code
        owner = roots.owner(code.co_filename)
        is_generated = bool(generated) and code.co_filename.startswith(generated)
        if not is_generated and owner in (Owner.PROJECT, Owner.LIBRARY, Owner.GENERATED):
            line = frame.f_lineno or code.co_firstlineno
            frames.append({"filename": code.co_filename, "line": line, "name": code.co_name})
            sources.add(code.co_filename, line)
        frame = frame.f_back
    return frames[::-1]
