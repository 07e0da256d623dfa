"""Observes the frames that Dynamo leaves alone without an event, through torch's own logger."""

from __future__ import annotations

import itertools
import logging
from types import CodeType, FrameType

from inspector.capture import versions
from inspector.capture.frames import at_line, callers
from inspector.capture.hooks import LoggerTap
from inspector.capture.roots import recorded_roots
from inspector.capture.sources import SourceWriter
from inspector.capture.writer import emit
from inspector.records.graph_breaks import SkippedFrame
from inspector.shared.roots import Owner

_ENTRY = "compile_wrapper"
_MOST_STACK_FRAMES = 60


class SkipObserver:
    """Writes the frames that Dynamo leaves alone, and gives their places to `sources`."""

    def __init__(self, sources: SourceWriter) -> None:
        self._sources = sources
        self._seen: set[CodeType] = set()
        tap = LoggerTap(versions.SKIP_LOGGER, logging.DEBUG, self._observe)
        self.watch, self.release = tap.watch, tap.release

    def forget(self) -> None:
        """Says again what it sees again, for a log that has nothing yet."""
        self._seen.clear()

    def _observe(self, record: logging.LogRecord) -> None:
        reason, cause = _reason(record)
        found = versions.frame_of_conversion() if reason else None
        if found is None or found[0] in self._seen:
            return
        code, caller = found
        self._seen.add(code)
        if not recorded_roots().is_user(code.co_filename):
            return
        stack = [*map(at_line, itertools.islice(callers(caller), _MOST_STACK_FRAMES))]
        self._sources.add(code.co_filename)
        emit(
            SkippedFrame(
                code.co_filename,
                code.co_firstlineno,
                code.co_qualname,
                reason,
                cause,
                _is_entry(caller),
                tuple(reversed(stack)),
            )
        )


def _reason(record: logging.LogRecord) -> tuple[str, str]:
    if record.msg == versions.SKIP_MESSAGE and isinstance(record.args, tuple):
        return str(record.args[1]), ""
    error = record.exc_info[1] if record.exc_info else None
    if type(error).__name__ not in versions.SOFT_FAILURES or getattr(error, "logged", False):
        return "", ""  # a graph break has an event of its own
    return "an exception was suppressed while the frame was compiled", str(error)


def _is_entry(caller: FrameType) -> bool:
    """Whether nothing but torch is between ``torch.compile``'s wrapper and the frame."""
    owner = recorded_roots().owner
    codes = (frame.f_code for frame in callers(caller))
    inside = itertools.takewhile(lambda code: owner(code.co_filename) is Owner.TORCH, codes)
    return any(code.co_name == _ENTRY for code in inside)
