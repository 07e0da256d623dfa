"""Reads one structured-trace log, whole or while it grows.

The format is that of ``TORCH_TRACE`` (``TorchLogsFormatter`` in torch/_logging/_internal.py): a
glog-like prefix, one JSON object, then the payload on lines that begin with a tab. Lines end with
LF alone: payloads can hold CR, U+2028 and the like.
"""

import collections
import functools
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import orjson

from inspector.run.run import LogWarning
from inspector.trace.compile_id import CompileId
from inspector.trace.envelope import Envelope
from inspector.trace.fields import natural
from inspector.trace.payload import Payload
from inspector.trace.registry import is_known, is_read

# Numbers are bounded: Python refuses to convert thousands of digits.
_PREFIX = re.compile(
    rb"(?:\[rank(?P<rank>\d{1,9})\]:)?[VDIWEC]\d{4} \d\d:\d\d:\d\d\.\d+ (?P<pid>\d{1,18}) "
    rb"[^\]]*\] (?=\{)"
)
_EVENT = re.compile(rb'\{\s*"([A-Za-z_0-9]+)"(?:\s*:\s*\{\s*"name"\s*:\s*"([A-Za-z_0-9.]+)")?')
_LAST_LINE_END = re.compile(rb"\n(?!\t)")
_TAB = ord("\t")
_CONTEXT = frozenset(
    {"attempt", "compiled_autograd_id", "frame_compile_id", "frame_id", "has_payload", "rank",
     "stack", "subgraph_name"}
)  # fmt: skip
_COMPILE_ID = ("frame_id", "frame_compile_id", "compiled_autograd_id")
_MOST_WARNINGS = 20
_NAMED = frozenset({"artifact", "graph_dump"})
# Texts that stay in the file until somebody asks for them.
_LONG_TEXTS = frozenset({"dynamo_cpp_guards_str", "dynamo_output_graph", "graph_dump"})
_READ_BYTES = 1 << 20
_CUT_OFF = "the log ends in the middle of this record; record skipped"
_LONGEST_PREFIX_BYTES = 1 << 16
_MAX_HELD_BYTES = 64 << 20
"""Of a payload that is read, or a record's first line; what is longer is left out."""


class LogReader:
    """Reads the complete records of a log, as often as it is asked, going on where it stopped.

    Time is linear in the log's size; memory is that of the longest record that is read.

    Attributes:
        records: How many records there were so far, those that nothing uses included.
        offset: How far it has read, in bytes.
    """

    def __init__(self, path: Path, *, everything: bool = False) -> None:
        """Begins at the log's beginning; reads records that nothing uses, too, if `everything`."""
        self.path = path
        self._everything = everything
        self.records = 0
        self.offset = 0
        self._line = 0  # lines that have ended
        self._rest: list[bytes] = []  # pieces of a line that is no payload and has not ended
        self._header: tuple[re.Match[bytes], int] | None = None
        self._payload_offset = 0
        self._payload_bytes = 0
        self._payload: list[bytes] = []
        self._keeps_payload = False
        self._in_payload_line = False
        self._strings: dict[int, dict[int, str]] = {}
        self._lookups: dict[int, Mapping[int, str]] = {}
        self._bad_lines = 0
        self._warned = 0
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
            Envelopes in the order of the log. A payload that the event's class reads is held; the
                others stay in the file.
        """
        with self.path.open("rb") as log:
            log.seek(self.offset)
            while block := log.read(_READ_BYTES):
                yield from self._take(block)
        if ended:
            yield from self._end()

    def _take(self, block: bytes) -> Iterator[Envelope]:
        # Whoever reads can be interrupted (Ctrl-C): at a yield, everything up to there is done.
        at = 0
        while at < len(block):
            # Nine lines out of ten are payload: they are passed over together.
            if self._in_payload_line or (block[at] == _TAB and not self._rest):
                at = self._take_payload(block, at)
                continue
            end = block.find(b"\n", at) + 1
            piece = block[at : end - 1] if end else block[at:]
            self.offset += (end or len(block)) - at
            at = end or len(block)
            if not end:
                self._hold(piece)
                continue
            done = self._take_line(piece)
            if done:
                yield done

    def _take_payload(self, block: bytes, at: int) -> int:
        """Takes payload up to the next line that is none, or the end of the block."""
        last = _LAST_LINE_END.search(block, at)
        end = last.end() if last else len(block)
        self._in_payload_line = last is None
        self._line += block.count(b"\n", at, end)
        self.offset += end - at
        self._payload_bytes += end - at
        if self._keeps_payload and self._payload_bytes <= _MAX_HELD_BYTES:
            self._payload.append(block[at:end])
        elif self._keeps_payload:
            self._payload.clear()
        return end

    def _hold(self, piece: bytes) -> None:
        """Keeps a piece of a line; of a long line that is no record, only the beginning."""
        head = self._rest[0] if self._rest else b""
        if len(head) < _LONGEST_PREFIX_BYTES:
            self._rest = [head + piece]
        elif _PREFIX.match(head) and sum(map(len, self._rest)) < _MAX_HELD_BYTES:
            self._rest.append(piece)

    def _take_line(self, piece: bytes) -> Envelope | None:
        """Takes a line that is no payload; returns the record that has become complete with it."""
        self._hold(piece)
        line, self._rest = b"".join(self._rest), []
        done = self._flush(last=False)
        self._line += 1
        self._keeps_payload = False
        prefix = _PREFIX.match(line)
        if prefix is None:
            if line.strip():
                self._bad_lines += 1
                shown = line[:40].decode("utf-8", errors="replace")
                self._warn(self._line, f"this line is not a structured-trace record: {shown!r}")
            return done
        is_unused, reads_payload = _use(line, prefix.end())
        if is_unused and not self._everything:
            self.records += 1
            return done
        self._header = (prefix, self._line)
        self._payload_offset = self.offset
        self._payload_bytes = 0
        self._keeps_payload = reads_payload
        return done

    def _end(self) -> Iterator[Envelope]:
        done = self._take_line(b"") if self._rest else None
        if done:
            yield done
        done = self._flush(last=True)
        if done:
            yield done
        sentences = []
        if self._bad_lines > 1:
            sentences.append(f"{self._bad_lines} lines do not belong to a record and were skipped")
        if self._warned > _MOST_WARNINGS:
            sentences.append(f"{self._warned - _MOST_WARNINGS} more warnings are not shown")
        self._warnings += [LogWarning(self.path.name, 0, sentence) for sentence in sentences]

    def _flush(self, *, last: bool) -> Envelope | None:
        pieces, self._payload = self._payload, []
        if self._header is None:
            return None
        (prefix, number), self._header = self._header, None
        if self._keeps_payload and self._payload_bytes > _MAX_HELD_BYTES:
            size = f"{self._payload_bytes >> 20:,} MiB"
            self._warn(number, f"the payload of this record is too large ({size}); record skipped")
            return None
        envelope = self._envelope(prefix, number, pieces, last=last)
        if envelope is None:
            return None
        payload = envelope.payload
        if last and payload and not payload.is_whole():
            self._warn(number, _CUT_OFF)
            return None
        self.records += 1
        if envelope.key == "str":
            self._intern(envelope)
            return None
        return envelope

    def _envelope(
        self, prefix: re.Match[bytes], number: int, pieces: list[bytes], *, last: bool
    ) -> Envelope | None:
        try:
            record = _loads(prefix.string[prefix.end() :])
        except (ValueError, RecursionError) as error:
            reason = f"this record is not JSON ({error}); record skipped"
            self._warn(number, _CUT_OFF if last else reason)
            return None
        key = next((key for key in record if key not in _CONTEXT), None)
        if key is None:
            self._warn(number, "this record has no event; record skipped")
            return None
        metadata = record[key]
        name = metadata.get("name") if isinstance(metadata, dict) and key in _NAMED else ""
        rank = record["rank"] if "rank" in record else int(prefix["rank"] or -1)
        pid = int(prefix["pid"])
        numbers = [natural(record.get(part)) for part in _COMPILE_ID]
        payload = None
        if md5 := record.get("has_payload"):
            payload = Payload(
                str(self.path), self._payload_offset, self._payload_bytes, str(md5),
                held=b"".join(pieces) if self._keeps_payload else None,
                is_crlf=prefix.string.endswith(b"\r"),
            )  # fmt: skip
        return Envelope(
            key=key,
            name=name if isinstance(name, str) else "",
            metadata=metadata,
            compile_id=None if numbers == [None, None, None] else CompileId(*numbers),
            attempt=natural(record.get("attempt")) or 0,
            rank=natural(rank),
            pid=pid,
            line=number,
            payload=payload,
            strings=self._strings_of(pid),
        )

    def _intern(self, envelope: Envelope) -> None:
        # {"str": [file name, number]}; forked processes that share a log number on their own.
        match envelope.metadata:
            case [str(text), int(number)] if natural(number) is not None:
                if envelope.pid not in self._strings:
                    self._strings[envelope.pid] = {}
                    self._lookups.clear()
                self._strings[envelope.pid][number] = text
            case _:
                self._warn(
                    envelope.line,
                    "this record of a file name lacks the name or its number; record skipped",
                )

    def _strings_of(self, pid: int) -> Mapping[int, str]:
        # A forked process knows the names that its parent, who wrote first, interned before.
        if pid not in self._lookups:
            own = self._strings.get(pid, {})
            others = (names for other, names in self._strings.items() if other != pid)
            self._lookups[pid] = collections.ChainMap(own, *others)
        return self._lookups[pid]

    def _warn(self, number: int, message: str) -> None:
        self._warned += 1
        if self._warned <= _MOST_WARNINGS:
            self._warnings.append(LogWarning(self.path.name, number, message))


def _use(line: bytes, start: int) -> tuple[bool, bool]:
    """Whether nothing uses a record, which need not be parsed then, and whether its payload is."""
    event = _EVENT.match(line, start)
    is_named = event is not None and event[1].decode() in _NAMED
    if event is None or (is_named and event[2] is None):
        return False, True
    return _use_of(event[1], event[2] if is_named else b"")


@functools.lru_cache(maxsize=1024)
def _use_of(key: bytes, name: bytes) -> tuple[bool, bool]:
    event = (key.decode(), name.decode())
    read = is_read(*event)
    return not read and is_known(*event), read and event[0] not in _LONG_TEXTS


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
