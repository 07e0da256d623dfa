"""Keeps our own records of a process, by type."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TypeVar

from inspector.records.calls import LateHook, TargetCall
from inspector.records.device_profile import DeviceProfile
from inspector.records.environment import Environment
from inspector.records.graph_breaks import SkippedFrame
from inspector.records.record import Record
from inspector.shared.roots import Roots
from inspector.shared.stack import below_recorder
from inspector.trace.inspector_records import KeptRecord
from inspector.trace.payload import Payload

_R = TypeVar("_R", bound=Record)


class Account:
    """What a process has recorded so far."""

    def __init__(self) -> None:
        self.calls: list[TargetCall] = []
        self._records: dict[type[Record], list[Record]] = {}
        self._places: dict[type[Record], list[KeptRecord]] = {}

    def add(self, record: Record) -> None:
        """Takes a record; the end of a call replaces its begin."""
        if not isinstance(record, TargetCall):
            self._records.setdefault(type(record), []).append(record)
        elif record.state == "begin":
            self.calls.append(record)
        elif self.calls:
            self.calls[-1] = record

    def add_place(self, record: KeptRecord) -> None:
        """Takes the place of a record that stays in the log."""
        if record.text is not None:
            self._places.setdefault(record.kind, []).append(record)

    def of(self, kind: type[_R]) -> list[_R]:
        """The records of a type, in order."""
        return self._records.get(kind, [])  # type: ignore[return-value]

    def records(self) -> Mapping[type[Record], tuple[Record, ...]]:
        """All of them."""
        return {kind: tuple(found) for kind, found in self._records.items()}

    def places(self) -> Mapping[type[Record], tuple[Payload, ...]]:
        """Where those are that stay in the log.

        A profile so far counts where the process ended before the whole one.
        """
        found: dict[type[Record], tuple[Payload, ...]] = {}
        for kind, kept in self._places.items():
            if kind is DeviceProfile:
                kept = [item for item in kept if item.name == kind.names[0] or item is kept[-1]]  # noqa: PLW2901
            found[kind] = tuple(item.text for item in kept if item.text is not None)
        return found

    @property
    def environment(self) -> Environment | None:
        """The machine and what is installed, or None for a plain trace."""
        return next(reversed(self.of(Environment)), None)

    @property
    def last_call(self) -> TargetCall | None:
        """The call that was begun last, or None."""
        return self.calls[-1] if self.calls else None

    @property
    def late_hooks(self) -> tuple[LateHook, ...]:
        """Hooks on modules that were compiled before and have not been since."""
        hooks: dict[int, LateHook] = {}
        for hook in self.of(LateHook):
            hooks.pop(hook.number, None)
            if not hook.is_compiled:
                hooks[hook.number] = hook
        return tuple(hooks.values())

    def skipped(self, roots: Roots) -> tuple[SkippedFrame, ...]:
        """The frames that Dynamo left alone without an event."""
        return tuple(
            dataclasses.replace(item, stack=below_recorder(item.stack, roots))
            for item in self.of(SkippedFrame)
        )
