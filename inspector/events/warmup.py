"""Our artifact of `inspect bench --warmup`: what the process of one start found out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.fields import natural, sizes


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorWarmup:
    """A part of what a process found out.

    Attributes:
        what: ``loaded`` (the model is there), ``artifact`` (it was loaded) or ``first`` (a first
            call).
        start: ``eager``, ``cold``, ``directory`` or ``artifact``.
        input: Number of the input, from 0.
        inputs: Shapes of the inputs, as text.
        time_ns: How long it took: from the process's begin until the model was there; loading the
            artifact; the first call.
        compiled: How many frames the first call compiled, or tried to.
        parts: How many entries the artifact has, by torch's names of the caches.
        size_bytes: Its size.
        failure: Why it was not loaded, or an empty string.
        threads: Threads that an operator of the CPU may use.
        device: The device's name.
    """

    what: str
    start: str
    input: int = 0
    inputs: str = ""
    time_ns: int = 0
    compiled: int = 0
    parts: Mapping[str, int] = dataclasses.field(default_factory=dict)
    size_bytes: int = 0
    failure: str = ""
    threads: int = 0
    device: str = ""

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact; what is missing is nothing."""
        fields = envelope.json_object()

        def number(name: str) -> int:
            return natural(fields.get(name)) or 0

        def text(name: str) -> str:
            return str(fields.get(name) or "")

        return cls(
            what=text("what"),
            start=text("start"),
            input=number("input"),
            inputs=text("inputs"),
            time_ns=number("time_ns"),
            compiled=number("compiled"),
            parts=sizes(fields.get("parts")),
            size_bytes=number("size_bytes"),
            failure=text("failure"),
            threads=number("threads"),
            device=text("device"),
        )
