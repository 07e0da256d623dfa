"""Our artifact of what a call allocates: ``inspector_memory_profile``."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from inspector.events.fields import items, mapping, mappings, natural, naturals, sizes
from inspector.events.kept import KeptPayload
from inspector.events.launch_place import LaunchPlace, launch_place
from inspector.events.payload import Payload

_WHATS = ("parameter", "buffer", "gradient", "optimizer", "input", "program", "kept")
_EVENT = 4
_HELD = 3
_LEFT = 5
_MOST = 1 << 63


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorMemoryProfile(KeptPayload):
    """``inspector_memory_profile``: the memory of a call with one input, which stays in the log."""


@dataclasses.dataclass(frozen=True, slots=True)
class MemoryEvent:
    """Memory that is allocated or freed.

    Attributes:
        address: Where it is.
        bytes_: How much; below 0, it is freed.
        place: Number of the place that allocates it, or -1.
        reserved: What the allocator has reserved in all then, or 0.
    """

    address: int
    bytes_: int
    place: int = -1
    reserved: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class HeldBlock:
    """Memory that is allocated before the call.

    Attributes:
        address: Where it is.
        bytes_: How much.
        what: ``parameter``, ``buffer``, ``gradient``, ``optimizer``, ``input``, ``program``,
            ``kept`` (by this tool), or an empty string.
    """

    address: int
    bytes_: int
    what: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Segment:
    """Memory that the allocator has of the device in one piece.

    Attributes:
        address: Where it begins.
        bytes_: How much it is.
        is_pool: Whether it is in a pool of CUDA graphs.
    """

    address: int
    bytes_: int
    is_pool: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class KnownTensor:
    """A tensor that the call allocated and that is there after it.

    Attributes:
        what: As `HeldBlock.what`.
        name: Its name, or an empty string.
        shape: Its shape.
        dtype: Its dtype.
    """

    what: str
    name: str = ""
    shape: tuple[int, ...] = ()
    dtype: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class MemorySide:
    """One call.

    Attributes:
        events: What it allocates and frees, in order.
        cut: How many events are left out.
        places: Where it does.
        left: What is known of tensors that are there afterwards, by address.
        held: What is allocated before.
        segments: What the allocator has after the call; nothing on the CPU.
        segments_before: The addresses of those that it had before.
        stats: The allocator's own counts: ``allocated_before``, ``allocated_peak``,
            ``reserved_before``, ``reserved_peak``, ``retries``, ``ooms``, …; none on the CPU.
        failed: Why the call failed, or an empty string.
    """

    events: tuple[MemoryEvent, ...] = ()
    cut: int = 0
    places: tuple[LaunchPlace, ...] = ()
    left: Mapping[int, KnownTensor] = dataclasses.field(default_factory=dict)
    held: tuple[HeldBlock, ...] = ()
    segments: tuple[Segment, ...] = ()
    segments_before: frozenset[int] = frozenset()
    stats: Mapping[str, int] = dataclasses.field(default_factory=dict)
    failed: str = ""

    def place_of(self, event: MemoryEvent) -> LaunchPlace:
        """Where an event comes from."""
        known = 0 <= event.place < len(self.places)
        return self.places[event.place] if known else LaunchPlace()


@dataclasses.dataclass(frozen=True, slots=True)
class MemoryProfile:
    """The memory of a warm call with one input.

    Attributes:
        input: Number of the input, from 0.
        device: ``cuda`` or ``cpu``.
        other_devices: How many other GPUs have tensors, which were not looked at.
        compiled: The compiled call, or None.
        eager: The call without the compiler, or None.
        captured: The call that CUDA graphs were captured in, or None.
    """

    input: int
    device: str
    other_devices: int
    compiled: MemorySide | None
    eager: MemorySide | None
    captured: MemorySide | None


def memory_profile(payload: Payload) -> MemoryProfile:
    """Reads a profile.

    Raises:
        OSError: The log is gone.
        ValueError: It is no JSON (cut off, say).
    """
    return memory_of(mapping(payload.json()))


def memory_of(fields: Mapping[str, object]) -> MemoryProfile:
    """Reads the fields of a profile."""
    return MemoryProfile(
        input=natural(fields.get("input")) or 0,
        device="cuda" if fields.get("device") == "cuda" else "cpu",
        other_devices=natural(fields.get("other_devices")) or 0,
        compiled=_side(fields.get("compiled")),
        eager=_side(fields.get("eager")),
        captured=_side(fields.get("captured")),
    )


def _side(value: object) -> MemorySide | None:
    if not isinstance(value, dict):
        return None
    fields = mapping(value)
    return MemorySide(
        events=tuple(_events(fields.get("events"))),
        cut=natural(fields.get("cut")) or 0,
        places=tuple(map(launch_place, mappings(fields.get("places")))),
        left=dict(_left(fields.get("left"))),
        held=tuple(_held(fields.get("held"))),
        segments=tuple(_segments(fields.get("segments"))),
        segments_before=frozenset(naturals(fields.get("segments_before"))),
        stats=sizes(fields.get("stats")),
        failed=str(fields.get("failed") or ""),
    )


def _events(value: object) -> Iterator[MemoryEvent]:
    for item in items(value):
        numbers = [
            number
            for number in items(item)
            if isinstance(number, int) and not isinstance(number, bool) and abs(number) < _MOST
        ]
        if len(numbers) == _EVENT:
            yield MemoryEvent(*numbers)


def _held(value: object) -> Iterator[HeldBlock]:
    for item in items(value):
        parts = items(item)
        if len(parts) == _HELD:
            address, bytes_ = (natural(number) for number in parts[:2])
            if address is not None and bytes_ is not None:
                yield HeldBlock(address, bytes_, str(parts[2]) if parts[2] in _WHATS else "")


def _segments(value: object) -> Iterator[Segment]:
    for item in items(value):
        parts = items(item)
        if len(parts) == _HELD:
            address, bytes_ = (natural(number) for number in parts[:2])
            if address is not None and bytes_ is not None:
                yield Segment(address, bytes_, bool(parts[2]))


def _left(value: object) -> Iterator[tuple[int, KnownTensor]]:
    for item in items(value):
        parts = items(item)
        address = natural(parts[0]) if len(parts) == _LEFT else None
        if address is not None and parts[1] in _WHATS:
            shape = naturals(parts[3])
            yield address, KnownTensor(str(parts[1]), str(parts[2]), shape, str(parts[4]))
