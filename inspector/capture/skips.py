"""Observes the frames that Dynamo leaves alone without an event, through torch's own logger."""

from __future__ import annotations

import logging
from types import CodeType, FrameType

from inspector.capture import versions
from inspector.capture.hooks import LoggerTap
from inspector.capture.roots import recorded_roots
from inspector.capture.sources import SourceWriter
from inspector.capture.writer import emit
from inspector.model.roots import Owner
from inspector.records.graph_breaks import SkippedFrame
from inspector.records.stack import StackFrame

_ENTRY_NAMES = ("compile_wrapper",)
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
        stack = _stack(caller)
        self._sources.add(code.co_filename, code.co_firstlineno)
        emit(
            SkippedFrame(
                code.co_filename,
                code.co_firstlineno,
                code.co_qualname,
                reason,
                cause,
                _is_entry(caller),
                stack,
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
    """Whether nothing but torch stands between ``torch.compile``'s wrapper and the frame."""
    roots = recorded_roots()
    frame: FrameType | None = caller
    while frame is not None and roots.owner(frame.f_code.co_filename) is Owner.TORCH:
        if frame.f_code.co_name in _ENTRY_NAMES:
            return True
        frame = frame.f_back
    return False


def _stack(caller: FrameType) -> tuple[StackFrame, ...]:
    frames: list[StackFrame] = []
    frame: FrameType | None = caller
    while frame is not None and len(frames) < _MOST_STACK_FRAMES:
        code = frame.f_code
        frames.append(StackFrame(code.co_filename, frame.f_lineno or 0, code.co_name))
        frame = frame.f_back
    return tuple(reversed(frames))
