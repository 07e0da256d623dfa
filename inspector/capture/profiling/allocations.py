"""What a call allocates and frees, each with the statement or line that does it.

Torch's profiler tells of every block of memory; the marks around it say where: statements of
generated code, and lines of the program. Of what an operator of autograd's backward pass allocates
outside of generated code, the line is that of the operator of the forward pass that it belongs to.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from inspector.capture.profiling.device import uses_cuda, wait
from inspector.capture.profiling.places import Places
from inspector.capture.profiling.trace import HostEvent, Trace, read_trace
from inspector.capture.profiling.user_lines import is_users, marked_user_lines
from inspector.capture.profiling.wrapper_lines import marked_lines
from inspector.capture.timeline.kineto import Session
from inspector.records.device_profile import LaunchPlace
from inspector.records.memory_profile import MemoryEvent

_MEMORY = "[memory]"
_CPU, _CUDA = 0, 1
"""Device types as libkineto's trace has them (c10/core/DeviceType.h)."""


@dataclasses.dataclass(slots=True)
class Allocations:
    """What was allocated and freed, in order."""

    events: list[MemoryEvent] = dataclasses.field(default_factory=list)
    places: dict[LaunchPlace, int] = dataclasses.field(default_factory=dict)

    def add(self, address: int, bytes_: int, place: LaunchPlace | None, reserved: int = 0) -> None:
        """Adds an event; where memory is freed is of no interest."""
        number = -1
        if place is not None and bytes_ > 0:
            place = dataclasses.replace(place, run=0)
            number = self.places.setdefault(place, len(self.places))
        self.events.append(MemoryEvent(address, bytes_, number, reserved))


@contextlib.contextmanager
def watched_memory() -> Iterator[Allocations]:
    """Watches what is allocated on the device while it is entered; the result is there afterwards.

    It is there, too, when what is watched fails.
    """
    found = Allocations()
    session = Session(with_device=False, with_memory=True)
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: read_allocations(_fields(session), found))
        session.start()
        stack.callback(session.stop)
        stack.enter_context(marked_lines())
        stack.enter_context(marked_user_lines(is_users))
        yield found
        wait()


def _fields(session: Session) -> Mapping[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.json"
        session.save(str(file))
        fields: Mapping[str, Any] = json.loads(file.read_bytes())
        return fields


def read_allocations(fields: Mapping[str, Any], found: Allocations) -> None:
    """Reads a trace of libkineto's.

    Args:
        found: Gets what it has of the device that is profiled.
    """
    base_ns = int(fields.get("baseTimeNanoseconds") or 0)
    wanted = (_CUDA, torch.cuda.current_device()) if uses_cuda() else (_CPU, -1)
    host = read_trace(fields).host
    instants: list[tuple[HostEvent, Mapping[str, Any]]] = []
    for event in fields.get("traceEvents", ()):
        given = event.get("args", {})
        if event.get("name") == _MEMORY and _device(given) == wanted:
            at_ns = base_ns + round(float(event["ts"]) * 1e3)
            instant = HostEvent("memory", _MEMORY, int(event["tid"]), at_ns, at_ns)
            instants.append((instant, given))
    instants.sort(key=lambda item: (item[0].start_ns, item[1].get("Ev Idx", 0)))
    trace = Trace([*host, *(event for event, _ in instants)], ())
    places = Places(trace)
    for event, given in instants:
        bytes_ = int(given["Bytes"])
        place = places.of(trace.around(event)) if bytes_ > 0 else None
        found.add(int(given["Addr"]), bytes_, place, int(given.get("Total Reserved") or 0))


def _device(given: Mapping[str, Any]) -> tuple[int, int]:
    kind = int(given.get("Device Type", -1))
    return kind, -1 if kind == _CPU else int(given.get("Device Id", 0))
