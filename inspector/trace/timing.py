"""Events that say when something began and ended."""

import dataclasses
from collections.abc import Mapping
from typing import Self

from inspector.trace.envelope import Envelope
from inspector.trace.fields import nanoseconds, natural


@dataclasses.dataclass(frozen=True, slots=True)
class ChromiumEvent:
    """Event ``chromium_event``: the begin or end of a span of torch's ``dynamo_timed``.

    Attributes:
        phase: ``B`` for begin, ``E`` for end, ``i`` for an instant.
        time_ns: UTC, in ns since the epoch.
        compile_id: Compile id of the compilation, if known.
        arguments: Everything that torch says beside it; most of it at the end of a span.
    """

    name: str
    phase: str
    time_ns: int
    thread: int
    compile_id: str
    arguments: Mapping[str, object] = dataclasses.field(
        default_factory=dict, repr=False, compare=False
    )

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the JSON payload; torch gives times in µs.

        Raises:
            ValueError: The payload is not JSON.
            TypeError: The payload is no event, or has no time.
        """
        payload = envelope.json_object()
        time_ns = nanoseconds(payload.get("ts"), 1000)
        if time_ns is None:
            message = f"its time is invalid: {payload.get('ts')!r}"
            raise TypeError(message)
        found = payload.get("args")
        arguments = found if isinstance(found, dict) else {}
        # Spans of torch 2.5 do not name it.
        compile_id = str(arguments.get("compile_id", envelope.compile_id or ""))
        return cls(
            name=str(payload.get("name", "")),
            phase=str(payload.get("ph", "")),
            time_ns=time_ns,
            thread=natural(payload.get("tid")) or 0,
            compile_id="" if compile_id == "None" else compile_id,
            arguments=arguments,
        )
