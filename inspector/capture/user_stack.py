"""The stack of whoever calls, without torch."""

from __future__ import annotations

import itertools

from inspector.capture import versions
from inspector.capture.frames import at_line, callers
from inspector.capture.roots import recorded_roots
from inspector.capture.sources import SourceWriter
from inspector.shared.roots import Owner
from inspector.shared.stack import StackFrame, is_resumed

_MOST_FRAMES = 30
_USERS = frozenset({Owner.PROJECT, Owner.LIBRARY, Owner.GENERATED})
_BETWEEN = frozenset({Owner.TORCH, Owner.STDLIB})


def user_stack(sources: SourceWriter) -> tuple[StackFrame, ...]:
    """The frames of this thread that are neither torch's, nor generated, nor ours, outermost first.

    `sources` gets their source.
    """
    owner = recorded_roots().owner
    users = (frame for frame in callers() if owner(frame.f_code.co_filename) in _USERS)
    found = [*map(at_line, itertools.islice(users, _MOST_FRAMES))]
    for frame in found:
        sources.add(frame.file)
    return tuple(reversed(found))


def calling_frame() -> StackFrame | None:
    """The innermost frame of the user's that calls the function which Dynamo is about to compile.

    None where that is none of the user's: a target is called by us, and what goes on after a graph
    break by the function that broke.
    """
    conversion = versions.frame_of_conversion()
    if conversion is None or is_resumed(conversion[0].co_name):
        return None
    owner = recorded_roots().owner
    outside = (f for f in callers(conversion[1]) if owner(f.f_code.co_filename) not in _BETWEEN)
    frame = next(outside, None)
    if frame is None or owner(frame.f_code.co_filename) is Owner.RECORDER:
        return None
    return at_line(frame)
