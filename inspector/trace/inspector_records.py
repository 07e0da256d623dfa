"""Events whose payload stays in the log until somebody asks for it."""

import dataclasses
from typing import Self, TypeVar

from inspector.records.codec import decode
from inspector.records.record import Record
from inspector.trace.envelope import Envelope
from inspector.trace.payload import Payload

_R = TypeVar("_R", bound=Record)


@dataclasses.dataclass(frozen=True, slots=True)
class StoredPayload:
    """An event of torch's."""

    text: Payload | None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Keeps the place of the payload, and not the payload."""
        payload = envelope.payload
        return cls(text=payload and payload.place())


@dataclasses.dataclass(frozen=True, slots=True)
class StoredRecord:
    """One of our records."""

    kind: type[Record]
    name: str
    text: Payload | None


def stored_record(kind: type[_R], payload: Payload) -> _R:
    """Reads a record that stayed in the log.

    Raises:
        OSError: The log is gone.
        ValueError: It is no JSON (cut off, say).
    """
    return decode(kind, payload.json())
