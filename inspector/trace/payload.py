"""The text behind an event, which stays in the log file until somebody asks for it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

_READ_BYTES = 1 << 20


@dataclasses.dataclass(frozen=True, slots=True)
class Payload:
    """Where an event's payload lies in its log.

    Attributes:
        offset: Where the payload's first (tab-prefixed) line begins, in bytes.
        length_bytes: Length in the file, tabs and line ends included.
        md5: What the writer said the payload's MD5 is, or an empty string.
        held: The bytes themselves while the log is being read, else None.
        is_crlf: Whether the line ends of the log were made CR LF since it was written.
    """

    path: str
    offset: int
    length_bytes: int
    md5: str = ""
    held: bytes | None = dataclasses.field(default=None, repr=False, compare=False)
    is_crlf: bool = False

    def place(self) -> Payload:
        """Where it lies, without its bytes: for an event whose text few ask for."""
        return dataclasses.replace(self, held=None)

    def raw(self) -> bytes:
        """The payload's bytes as torch wrote them, without the tabs of the log format.

        CR LF become LF again in a log where they were changed, also those that torch itself wrote.
        """
        text = b"".join(self._blocks())
        return text.removesuffix(b"\r").replace(b"\r\n", b"\n") if self.is_crlf else text

    def text(self) -> str:
        """The payload as text; bytes that are not UTF-8 become replacement characters."""
        return self.raw().decode("utf-8", errors="replace")

    def json(self) -> object:
        """The payload read as JSON.

        Raises:
            ValueError: It is not JSON (truncated, say).
            RecursionError: It is nested thousands deep.
        """
        return json.loads(self.text())

    def is_whole(self) -> bool:
        """Whether the payload is what the writer meant to write."""
        # MD5 is the format's checksum (torch/_logging/_internal.py, 2.13), not a safeguard.
        digest = hashlib.md5(usedforsecurity=False)
        for block in [self.raw()] if self.is_crlf else self._blocks():
            digest.update(block)
        return not self.md5 or digest.hexdigest() == self.md5

    def _blocks(self) -> Iterator[bytes]:
        """The payload without tabs, in blocks: one that stays in the file can be very long."""
        if self.held is not None:
            yield self.held.removeprefix(b"\t").removesuffix(b"\n").replace(b"\n\t", b"\n")
            return
        with Path(self.path).open("rb") as log:
            log.seek(self.offset + 1)  # after the first tab
            left = self.length_bytes - 1
            line_end = b""
            while left > 0 and (block := log.read(min(left, _READ_BYTES))):
                left -= len(block)
                # Whether a tab follows a line end is seen with the next block.
                block = line_end + block
                line_end = block[-1:] if block.endswith(b"\n") else b""
                yield block.removesuffix(b"\n").replace(b"\n\t", b"\n")
