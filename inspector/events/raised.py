"""``inspector_raised``: an exception that nobody caught."""

from __future__ import annotations

import dataclasses
from typing import Self

from inspector.events.envelope import Envelope, RawFrame
from inspector.events.fields import natural


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorRaised:
    """``inspector_raised``: what ended a process, one of its threads, or a call of the target.

    Attributes:
        type: The exception's class; where Dynamo wraps another exception, that of the inner one.
        outer: The class of what was raised; of a target that fails by itself, with the compiler.
        message: What the exception says.
        traceback: The traceback without torch's frames.
        stack: The frames in which it was raised, outermost first, also those that Dynamo traced.
        exports: Whether ``torch.export`` was at work.
        thread: The thread that it ended, or an empty string where it ended the process.
        time_ns: UTC in ns, or None.
    """

    type: str
    outer: str
    message: str
    traceback: str
    stack: tuple[RawFrame, ...]
    exports: bool
    thread: str
    time_ns: int | None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        return cls(
            type=str(payload.get("type", "")),
            outer=str(payload.get("outer", "")),
            message=str(payload.get("message", "")),
            traceback=str(payload.get("traceback", "")),
            stack=envelope.frames(payload.get("stack")),
            exports=payload.get("exports") is True,
            thread=str(payload.get("thread", "")),
            time_ns=natural(payload.get("time_ns")),
        )
