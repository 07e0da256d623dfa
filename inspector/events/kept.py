"""An event whose payload stays in the log until somebody asks for it."""

from __future__ import annotations

import dataclasses
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.payload import Payload


@dataclasses.dataclass(frozen=True, slots=True)
class KeptPayload:
    """What all of them have.

    Attributes:
        text: Where the payload is, or None.
    """

    text: Payload | None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Keeps the place of the payload, and not the payload."""
        payload = envelope.payload
        return cls(text=payload and payload.place())
