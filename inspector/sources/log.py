"""Reads one structured-trace log, whole or while it grows.

The format is that of ``TORCH_TRACE`` (``TorchLogsFormatter`` in torch/_logging/_internal.py): a
glog-like prefix, one JSON object, then the payload on lines that begin with a tab. Lines end with
LF alone: payloads can hold CR, U+2028 and the like.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import orjson

from inspector.events.compile_id import CompileId
from inspector.events.envelope import Envelope
from inspector.events.payload import Payload
from inspector.events.registry import EVENTS, is_known
from inspector.model.run import LogWarning

__all__ = ["LogReader"]

_PREFIX = re.compile(
    rb"(?:\[rank(?P<rank>\d+)\]:)?[VDIWEC]\d{4} \d\d:\d\d:\d\d\.\d+ (?P<pid>\d+) [^\]]*\] (?=\{)"
)
_FIRST_KEY = re.compile(rb'\{\s*"([A-Za-z_0-9]+)"')
_CONTEXT = frozenset(
    {"attempt", "compiled_autograd_id", "frame_compile_id", "frame_id", "has_payload", "rank",
     "stack", "subgraph_name"}
)  # fmt: skip
_MOST_WARNINGS = 20
_READ_BYTES = 1 << 20


class LogReader:
    """Reads the complete records of a log, as often as it is asked, going on where it stopped.

    Args:
        path: The log.
        everything: Whether records that nothing uses are read too, instead of only counted.
    """

    def __init__(self, path: Path, *, everything: bool = False) -> None:
        self.path = path
        self._everything = everything
        self.records = 0
        self._name = path.name
        self._offset = 0
        self._line = 0
        self._header: tuple[bytes, int] | None = None
        self._payload_offset = 0
        self._payload: list[bytes] = []
        self._payload_bytes = 0
        self._keeps_payload = False
        self._rest = b""
        self._strings: dict[int, dict[int, str]] = {}
        self._bad_lines = 0
        self._warnings: list[LogWarning] = []

    def take_warnings(self) -> list[LogWarning]:
        """What could not be read since the last call."""
        taken, self._warnings = self._warnings, []
        return taken

    def read(self, *, ended: bool) -> Iterator[Envelope]:
        """The records that have become complete.

        Args:
            ended: Whether the writer has ended. Until then the last record, which more lines could
                follow, is kept back.

        Yields:
            Envelopes in the order of the log; their payloads hold their bytes.
        """
        for line in self._lines(ended=ended):
            # Nine lines out of ten are payload: nothing is called for them.
            if line[:1] == b"\t":
                self._payload_bytes += len(line) + 1
                if self._keeps_payload:
                    self._payload.append(line)
            else:
                yield from self._take(line)
        if ended:
            yield from self._flush(last=True)
            self._say_what_was_lost()

    def _lines(self, *, ended: bool) -> Iterator[bytes]:
        with self.path.open("rb") as log:
            log.seek(self._offset + len(self._rest))
            while block := log.read(_READ_BYTES):
                lines = (self._rest + block).split(b"\n")
                self._rest = lines.pop()
                for line in lines:
                    self._line += 1
                    yield line
                    self._offset += len(line) + 1
        if ended and self._rest:
            self._line += 1
            line, self._rest = self._rest, b""
            yield line
            self._offset += len(line)

    def _take(self, line: bytes) -> Iterator[Envelope]:
        prefix = _PREFIX.match(line)
        yield from self._flush(last=False)
        if prefix is None:
            self._complain(line)
            return
        if not self._everything and _is_unused(line, prefix.end()):
            self.records += 1
            self._keeps_payload = False
            return
        self._header = (line, self._line)
        self._payload_offset = self._offset + len(line) + 1
        self._payload_bytes = 0
        self._keeps_payload = _wants_payload(line, prefix.end())

    def _flush(self, *, last: bool) -> Iterator[Envelope]:
        if self._header is None:
            return
        (line, number), self._header = self._header, None
        lines, self._payload = self._payload, []
        envelope = self._envelope(line, number, lines)
        if envelope is None:
            return
        if last and envelope.payload and not envelope.payload.is_whole():
            self._warn(number, "the log ends in the middle of this record, which was left out")
            return
        self.records += 1
        if envelope.key == "str":
            self._intern(envelope)
        else:
            yield envelope

    def _envelope(self, line: bytes, number: int, payload: list[bytes]) -> Envelope | None:
        prefix = _PREFIX.match(line)
        assert prefix is not None  # noqa: S101 - headers are taken by this pattern alone
        try:
            record = _loads(line[prefix.end() :])
        except ValueError as error:
            self._warn(number, f"this record is not JSON ({error}); it was left out")
            return None
        keys = [key for key in record if key not in _CONTEXT]
        if not keys:
            self._warn(number, "this record names no event; it was left out")
            return None
        metadata = record[keys[0]]
        name = metadata.get("name") if isinstance(metadata, dict) and keys[0] == "artifact" else ""
        rank = record.get("rank", prefix["rank"])
        pid = int(prefix["pid"])
        return Envelope(
            key=keys[0],
            name=str(name or ""),
            metadata=metadata,
            compile_id=_compile_id(record),
            attempt=_integer(record.get("attempt")) or 0,
            rank=int(rank) if isinstance(rank, int | bytes) else None,
            pid=pid,
            line=number,
            payload=self._payload_of(record, payload),
            strings=self._strings.get(pid) or next(iter(self._strings.values()), {}),
        )

    def _payload_of(self, record: Mapping[str, object], lines: list[bytes]) -> Payload | None:
        md5 = record.get("has_payload")
        if not md5:
            return None
        held = b"\n".join(lines) if self._keeps_payload else None
        length = max(0, self._payload_bytes - 1)  # without the last line's end
        return Payload(str(self.path), self._payload_offset, length, str(md5), held)

    def _intern(self, envelope: Envelope) -> None:
        # {"str": [file name, number]}; forked processes that share a log number on their own.
        if isinstance(envelope.metadata, list) and len(envelope.metadata) == 2:  # noqa: PLR2004
            text, number = envelope.metadata
            self._strings.setdefault(envelope.pid, {})[number] = text

    def _complain(self, line: bytes) -> None:
        if line.strip():
            self._bad_lines += 1
            self._keeps_payload = False
            shown = line[:40].decode("utf-8", errors="replace")
            self._warn(self._line, f"this line is no record of a structured trace: {shown!r}")

    def _warn(self, number: int, message: str) -> None:
        if len(self._warnings) < _MOST_WARNINGS:
            self._warnings.append(LogWarning(self._name, number, message))

    def _say_what_was_lost(self) -> None:
        if self._bad_lines > 1:
            self._warn(0, f"{self._bad_lines} lines belong to no record and were passed over")


def _wants_payload(line: bytes, start: int) -> bool:
    """Whether an event's class reads payloads; the others' stay in the file."""
    key = _FIRST_KEY.match(line, start)
    if key is None or key[1] == b"artifact":
        return True
    name = key[1].decode()
    return (name, "") in EVENTS and name != "dynamo_output_graph"


def _is_unused(line: bytes, start: int) -> bool:
    """Whether a record is of a kind that nothing reads, so that it need not be parsed at all."""
    key = _FIRST_KEY.match(line, start)
    if key is None or key[1] in (b"artifact", b"str"):
        return False
    name = key[1].decode()
    return (name, "") not in EVENTS and is_known(name, "")


def _loads(text: bytes) -> dict[str, object]:
    try:
        record = orjson.loads(text)
    except orjson.JSONDecodeError:
        # torch writes NaN and Infinity, and lone surrogates, which are not JSON.
        record = json.loads(text.decode("utf-8", errors="replace"))
    if not isinstance(record, dict):
        message = "not an object"
        raise ValueError(message)  # noqa: TRY004 - what the caller reports for any bad record
    return record


def _compile_id(record: Mapping[str, object]) -> CompileId | None:
    numbers = [
        _integer(record.get(name))
        for name in ("frame_id", "frame_compile_id", "compiled_autograd_id")
    ]
    return None if numbers == [None, None, None] else CompileId(*numbers)


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
