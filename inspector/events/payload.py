"""The text behind an event, which stays in the log file until somebody asks for it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path

__all__ = ["Payload"]


@dataclasses.dataclass(frozen=True, slots=True)
class Payload:
    """Where an event's payload lies in its log.

    Attributes:
        path: The log file.
        offset: Where the payload's first (tab-prefixed) line begins, in bytes.
        length_bytes: Length in the file, tabs and newlines included.
        md5: What the writer said the payload's MD5 is, or an empty string.
        held: The bytes themselves while the log is being read, else None.
    """

    path: str
    offset: int
    length_bytes: int
    md5: str = ""
    held: bytes | None = dataclasses.field(default=None, repr=False, compare=False)

    def raw(self) -> bytes:
        """The payload's bytes as torch wrote them, without the tabs of the log format."""
        lines = self.held
        if lines is None:
            with Path(self.path).open("rb") as log:
                log.seek(self.offset)
                lines = log.read(self.length_bytes)
        return lines.removeprefix(b"\t").removesuffix(b"\n").replace(b"\n\t", b"\n")

    def text(self) -> str:
        """The payload as text; bytes that are not UTF-8 become replacement characters."""
        return self.raw().decode("utf-8", errors="replace")

    def json(self) -> object:
        """The payload read as JSON.

        Raises:
            ValueError: It is not JSON (truncated, say).
        """
        return json.loads(self.text())

    def is_whole(self) -> bool:
        """Whether the payload is what the writer meant to write."""
        # MD5 is the format's checksum (torch/_logging/_internal.py, 2.13), not a safeguard.
        digest = hashlib.md5(self.raw(), usedforsecurity=False).hexdigest()
        return not self.md5 or digest == self.md5
