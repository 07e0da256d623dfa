"""Events that say when something began and ended."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.fields import nanoseconds, natural

__all__ = ["ChromiumEvent"]

# torch/_dynamo/pgo.py, 2.11 to 2.13: what became dynamic and why (an instant), and torch's own
# value for TORCH_COMPILE_DYNAMIC_SOURCES (on the end of a span).
_DETAILED = {
    "automatic_dynamic": ("name", "dim_changed", "reason", "cached", "new"),
    "pgo.dynamic_whitelist": ("recompile_dynamic_whitelist",),
}


@dataclasses.dataclass(frozen=True, slots=True)
class ChromiumEvent:
    """Event ``chromium_event``: the begin or end of a span of torch's ``dynamo_timed``.

    Attributes:
        name: The span's name.
        phase: ``B`` for begin, ``E`` for end, ``i`` for an instant.
        time_ns: UTC, in ns since the epoch.
        thread: What torch says is the thread (it says 0 for most).
        compile_id: The compilation in torch's spelling, or an empty string.
        details: What the events that are more than a time say (`_DETAILED`), as texts by name.
    """

    name: str
    phase: str
    time_ns: int
    thread: int
    compile_id: str
    details: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the JSON payload; torch gives times in µs.

        Raises:
            ValueError: The payload is not JSON.
            TypeError: The payload is no event, or has no time.
        """
        payload = envelope.payload.json() if envelope.payload else None
        if not isinstance(payload, dict):
            message = "its payload is no JSON object"
            raise TypeError(message)
        time_ns = nanoseconds(payload.get("ts"), 1000)
        if time_ns is None:
            message = f"its time is {payload.get('ts')!r}"
            raise TypeError(message)
        given = payload.get("args")
        arguments = given if isinstance(given, Mapping) else {}
        name = str(payload.get("name", ""))
        return cls(
            name=name,
            phase=str(payload.get("ph", "")),
            time_ns=time_ns,
            thread=natural(payload.get("tid")) or 0,
            compile_id=str(arguments.get("compile_id", "")),
            details={
                key: str(arguments[key]) for key in _DETAILED.get(name, ()) if key in arguments
            },
        )
