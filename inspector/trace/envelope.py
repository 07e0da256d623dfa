"""One record of a structured trace before anything is read out of it."""

import dataclasses
from collections.abc import Mapping

from inspector.records.stack import StackFrame
from inspector.trace.compile_id import CompileId
from inspector.trace.fields import natural
from inspector.trace.payload import Payload


@dataclasses.dataclass(frozen=True, slots=True)
class Envelope:
    """One record of a log.

    Attributes:
        key: The event's key (``dynamo_start``, ``artifact``, …).
    """

    key: str
    name: str
    metadata: object
    compile_id: CompileId | None
    attempt: int
    rank: int | None
    pid: int
    line: int
    payload: Payload | None
    strings: Mapping[int, str] = dataclasses.field(default_factory=dict, repr=False)

    def fields(self) -> Mapping[str, object]:
        """The metadata as a mapping, empty where torch wrote something else."""
        return self.metadata if isinstance(self.metadata, dict) else {}

    def json_object(self) -> Mapping[str, object]:
        """The payload as a JSON object.

        Raises:
            TypeError: It is none.
            ValueError: It is not JSON (truncated, say).
            RecursionError: It is nested thousands deep.
        """
        payload = self.payload.json() if self.payload else None
        if not isinstance(payload, dict):
            message = "its payload is not a JSON object"
            raise TypeError(message)
        return payload

    def text(self) -> str:
        """The payload's text, or an empty string."""
        return self.payload.text() if self.payload else ""

    def frames(self, stack: object) -> tuple[StackFrame, ...]:
        """A logged stack with its file names resolved, outermost first.

        Args:
            stack: A list of ``{"line", "name", "filename", "loc"}`` objects; ``filename`` is the
                number of an interned string or the name itself.
        """
        if not isinstance(stack, list):
            return ()
        return tuple(
            StackFrame(
                file=self.file_of(entry),
                line=natural(entry.get("line")) or 0,
                name=str(entry.get("name", "")),
                code=str(entry.get("loc") or ""),
            )
            for entry in stack
            if isinstance(entry, dict)
        )

    def file_of(self, entry: Mapping[str, object]) -> str:
        """The file name of an entry of a logged stack."""
        file = entry.get("filename")
        number = natural(file)
        return str(file) if number is None else self.strings.get(number, f"<file {number}>")
