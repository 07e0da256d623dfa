"""Gathers what a recorded process says of itself: where it runs, what it calls, how it ends."""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

from inspector.events.inspector import (
    InspectorCall,
    InspectorDropped,
    InspectorEnd,
    InspectorEnvironment,
    InspectorProblem,
    InspectorSkippedFrame,
    InspectorSource,
    InspectorTarget,
)
from inspector.events.late_hook import InspectorLateHook
from inspector.events.raised import InspectorRaised
from inspector.model.compilation import SkippedFrame
from inspector.model.roots import Roots
from inspector.model.stack import below_recorder, plain_frame

AccountEvent: TypeAlias = (
    InspectorCall
    | InspectorDropped
    | InspectorEnd
    | InspectorEnvironment
    | InspectorLateHook
    | InspectorProblem
    | InspectorRaised
    | InspectorSkippedFrame
    | InspectorSource
    | InspectorTarget
)


@dataclasses.dataclass(slots=True)
class Account:
    """What has been said so far.

    Attributes:
        environment: The machine and what is installed, or None for a plain trace.
        target: What was asked to be compiled, or None.
        calls: The calls of the target.
        sources: The source text that the process read.
        dropped: What was dropped to keep its logs below a size, or None.
        problems: What failed in our own hooks.
        ended: Whether it came to its end in order.
        raised: The exceptions that nobody caught.
        late_hooks: Hooks on modules that were compiled before, by their numbers.
    """

    environment: InspectorEnvironment | None = None
    target: InspectorTarget | None = None
    calls: list[InspectorCall] = dataclasses.field(default_factory=list)
    sources: list[InspectorSource] = dataclasses.field(default_factory=list)
    dropped: InspectorDropped | None = None
    problems: list[str] = dataclasses.field(default_factory=list)
    ended: bool = False
    raised: list[InspectorRaised] = dataclasses.field(default_factory=list)
    late_hooks: dict[int, InspectorLateHook] = dataclasses.field(default_factory=dict)
    _skipped: list[InspectorSkippedFrame] = dataclasses.field(default_factory=list)

    def add(self, event: AccountEvent) -> None:
        """Takes one event."""
        match event:
            case InspectorCall(state="begin"):
                self.calls.append(event)
            case InspectorCall() if self.calls:
                self.calls[-1] = event
            case InspectorDropped():
                self.dropped = event
            case InspectorEnd():
                self.ended = True
            case InspectorEnvironment():
                self.environment = event
            case InspectorProblem():
                self.problems.append(f"{event.where}: {event.error}")
            case (
                InspectorLateHook()
                | InspectorRaised()
                | InspectorSkippedFrame()
                | InspectorSource()
            ):
                self._append(event)
            case InspectorTarget():
                self.target = event

    def _append(
        self, event: InspectorLateHook | InspectorRaised | InspectorSkippedFrame | InspectorSource
    ) -> None:
        match event:
            case InspectorLateHook(is_compiled=True):
                self.late_hooks.pop(event.number, None)
            case InspectorLateHook():
                self.late_hooks[event.number] = event
            case InspectorRaised():
                self.raised.append(event)
            case InspectorSkippedFrame():
                self._skipped.append(event)
            case InspectorSource():
                self.sources.append(event)

    @property
    def last_call(self) -> InspectorCall | None:
        """The call that was begun last, or None."""
        return self.calls[-1] if self.calls else None

    def skipped(self, roots: Roots) -> tuple[SkippedFrame, ...]:
        """The frames that Dynamo left alone without an event.

        Args:
            roots: Whose code a file is.
        """
        return tuple(
            SkippedFrame(
                file=event.file,
                line=event.line,
                name=event.name,
                reason=event.reason,
                cause=event.cause,
                is_entry=event.is_entry,
                stack=below_recorder([plain_frame(frame) for frame in event.stack], roots),
            )
            for event in self._skipped
        )
