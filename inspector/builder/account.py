"""Gathers what a recorded process says of itself: where it runs, what it calls, how it ends."""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

from inspector.model.roots import Roots
from inspector.model.stack import below_recorder
from inspector.records.calls import LateHook, TargetCall, TargetFunction, Uncaught
from inspector.records.environment import Dropped, End, Environment, Problem, SourceText
from inspector.records.graph_breaks import SkippedFrame

AccountEvent: TypeAlias = (
    TargetCall
    | Dropped
    | End
    | Environment
    | LateHook
    | Problem
    | Uncaught
    | SkippedFrame
    | SourceText
    | TargetFunction
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

    environment: Environment | None = None
    target: TargetFunction | None = None
    calls: list[TargetCall] = dataclasses.field(default_factory=list)
    sources: list[SourceText] = dataclasses.field(default_factory=list)
    dropped: Dropped | None = None
    problems: list[str] = dataclasses.field(default_factory=list)
    ended: bool = False
    raised: list[Uncaught] = dataclasses.field(default_factory=list)
    late_hooks: dict[int, LateHook] = dataclasses.field(default_factory=dict)
    _skipped: list[SkippedFrame] = dataclasses.field(default_factory=list)

    def add(self, event: AccountEvent) -> None:
        """Takes one event."""
        match event:
            case TargetCall(state="begin"):
                self.calls.append(event)
            case TargetCall() if self.calls:
                self.calls[-1] = event
            case Dropped():
                self.dropped = event
            case End():
                self.ended = True
            case Environment():
                self.environment = event
            case Problem():
                self.problems.append(f"{event.where}: {event.error}")
            case LateHook() | Uncaught() | SkippedFrame() | SourceText():
                self._append(event)
            case TargetFunction():
                self.target = event

    def _append(self, event: LateHook | Uncaught | SkippedFrame | SourceText) -> None:
        match event:
            case LateHook(is_compiled=True):
                self.late_hooks.pop(event.number, None)
            case LateHook():
                self.late_hooks[event.number] = event
            case Uncaught():
                self.raised.append(event)
            case SkippedFrame():
                self._skipped.append(event)
            case SourceText():
                self.sources.append(event)

    @property
    def last_call(self) -> TargetCall | None:
        """The call that was begun last, or None."""
        return self.calls[-1] if self.calls else None

    def skipped(self, roots: Roots) -> tuple[SkippedFrame, ...]:
        """The frames that Dynamo left alone without an event.

        Args:
            roots: Whose code a file is.
        """
        return tuple(
            dataclasses.replace(item, stack=below_recorder(item.stack, roots))
            for item in self._skipped
        )
