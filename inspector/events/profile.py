"""Our own artifacts about time: profiles of warm calls, and how fast memory is copied."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.fields import items, mappings, natural, naturals

_MARKER_FIELDS = 5
_ACTIVITY_FIELDS = 8


@dataclasses.dataclass(frozen=True, slots=True)
class ProfiledThread:
    """One thread, as the artifact has it.

    Attributes:
        thread: The profiler's number of it.
        markers: Kind, label, start, end (ns from the profile's begin) and autograd's number.
        activities: A time in between, operators, events, the operators' ns, ns of waiting, begin,
            end and busy ns of the device.
    """

    thread: int
    markers: tuple[tuple[str, str, int, int, int], ...]
    activities: tuple[tuple[int, int, int, int, int, int, int, int], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorProfile:
    """``inspector_profile``: torch's own markers in warm calls.

    Attributes:
        input: Number of the target's input, or None where a program's own calls were profiled.
        first_call: Number of the first profiled call with it.
        compiled: The calls, counted from 0, in which something was compiled.
        with_device: Whether the device was watched too, which slows the host down.
        plain_ns: Median time of a warm call without the profiler, or None.
        plain_times_ns: The times of these calls.
        mark_ns: What one mark costs under the profiler.
        threads: The threads on which something was marked.
    """

    input: int | None
    first_call: int
    compiled: tuple[int, ...]
    with_device: bool
    plain_ns: int | None
    mark_ns: int
    threads: tuple[ProfiledThread, ...]
    plain_times_ns: tuple[int, ...] = ()

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        labels = [str(label) for label in items(payload.get("labels"))]
        threads = list(mappings(payload.get("threads")))
        return cls(
            input=natural(payload.get("input")),
            first_call=natural(payload.get("first_call")) or 0,
            compiled=tuple(natural(number) or 0 for number in items(payload.get("compiled"))),
            with_device=bool(payload.get("with_device")),
            plain_ns=natural(payload.get("plain_ns")),
            plain_times_ns=naturals(payload.get("plain_times_ns")),
            mark_ns=natural(payload.get("mark_ns")) or 0,
            threads=tuple(
                ProfiledThread(
                    thread=natural(entry.get("thread")) or 0,
                    markers=tuple(_markers(entry.get("markers"), labels)),
                    activities=tuple(_activities(entry.get("activities"))),
                )
                for entry in threads
            ),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorCopyRates:
    """``inspector_copy_rates``: how fast memory is copied on the device that was used.

    Attributes:
        device: The device's type.
        rates: Size of the copied tensor in bytes, and bytes read and written per second.
    """

    device: str
    rates: tuple[tuple[int, float], ...]

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        return cls(
            device=str(payload.get("device", "")),
            rates=tuple(
                (natural(entry.get("size_bytes")) or 0, float(rate))
                for entry in mappings(payload.get("rates"))
                if isinstance(rate := entry.get("bytes_per_second"), int | float)
            ),
        )


def _markers(value: object, labels: list[str]) -> Iterator[tuple[str, str, int, int, int]]:
    for entry in items(value):
        if isinstance(entry, list) and len(entry) >= _MARKER_FIELDS:
            kind, label, start_ns, end_ns, sequence = entry[:_MARKER_FIELDS]
            yield str(kind), labels[int(label)], int(start_ns), int(end_ns), int(sequence)


def _activities(value: object) -> Iterator[tuple[int, int, int, int, int, int, int, int]]:
    for entry in items(value):
        if isinstance(entry, list) and len(entry) == _ACTIVITY_FIELDS:
            at, operators, events, busy, wait, begin, end, device = map(int, entry)
            yield at, operators, events, busy, wait, begin, end, device
