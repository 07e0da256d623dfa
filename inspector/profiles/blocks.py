"""What the blocks are that a call allocates."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from inspector.model.kernel import NodeLine
from inspector.profiles.code_lines import CodeLines
from inspector.profiles.memory import PeakTensor
from inspector.profiles.outside_lines import user_place
from inspector.profiles.peak import Peak
from inspector.records.device_profile import LaunchPlace
from inspector.records.memory_profile import MemoryEvent, MemorySide


class BlockReader:
    """Describes the blocks of one call."""

    def __init__(
        self, side: MemorySide, code: CodeLines, functions: Mapping[str, NodeLine]
    ) -> None:
        self.side = side
        self._code = code
        self._functions = functions
        self._last: dict[int, MemoryEvent] = {event.address: event for event in side.events}
        self._kept = set(map(id, _at_backward(side)))

    def describe(self, event: MemoryEvent, events: Sequence[MemoryEvent], peak: Peak) -> PeakTensor:
        """What an event allocates."""
        place = self.side.place_of(event)
        # What is there after the call is what was put there last.
        is_last = self._last.get(event.address) is event
        known = self.side.left.get(event.address) if is_last else None
        at = self.side.place_of(events[peak.at]) if peak.at >= 0 else LaunchPlace()
        found = self._in_code(event, place, at) if self._code.knows(place.file) else None
        found = found or self._outside(event, place)
        if known is not None:
            name, shape = known.name or found.name, known.shape
            found = PeakTensor(known.what, name, shape=shape, dtype=known.dtype, lines=found.lines)
        return dataclasses.replace(found, bytes_=event.bytes_)

    def _in_code(
        self, event: MemoryEvent, place: LaunchPlace, peak: LaunchPlace
    ) -> PeakTensor | None:
        buffer = self._code.buffer(place, event.bytes_, peak)
        final = self._code.buffer(place, event.bytes_, LaunchPlace())
        if buffer is None or final is None:
            return None
        what = self._code.what(place.file, buffer, final)
        if what in {"intermediate", "workspace"} and id(event) in self._kept:
            what = "saved"  # one of several results of a library's
        filled_by = buffer.filled_by or final.filled_by or (place.line,)
        return PeakTensor(
            what=what,
            name=buffer.names[-1] if buffer.names else "",
            shape=buffer.shape,
            dtype=buffer.dtype,
            lines=self._code.lines(place.file, filled_by),
        )

    def _outside(self, event: MemoryEvent, place: LaunchPlace) -> PeakTensor:
        """What is allocated outside of generated code, or in code that is not there."""
        line = user_place(place)
        if line is None and place.region in self._functions:
            line = self._functions[place.region]
        lines = (self._code.with_text(line),) if line is not None else ()
        name = place.operator.rpartition("::")[2]
        if place.is_loss:
            return PeakTensor("loss", name)
        if not lines and not name and not place.file:
            return PeakTensor("unknown")
        what = "saved" if id(event) in self._kept and not place.file else "intermediate"
        return PeakTensor(what, name, lines=lines)


def _at_backward(side: MemorySide) -> Iterable[MemoryEvent]:
    """What the call has allocated, and not freed, when its backward pass begins."""
    live: dict[int, MemoryEvent] = {}
    for event in side.events:
        place = side.place_of(event)
        if place.is_backward and not place.is_loss:
            return live.values()
        live.pop(event.address, None)
        if event.bytes_ > 0:
            live[event.address] = event
    return ()
