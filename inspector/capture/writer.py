"""The one writer of our own artifacts: nothing that fails in it reaches the user's program."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from inspector.records.codec import encode
from inspector.records.environment import Problem
from inspector.records.record import PREFIX, Record


def emit(record: Record, name: str = "") -> None:
    """Writes a record into the trace, with torch's current compile id.

    `name` is one of its names, where it has several. Text is escaped to ASCII: torch's own handlers
    cannot write lone surrogates.
    """
    from torch._logging import trace_structured

    artifact, text = PREFIX + (name or record.names[0]), _json(record)
    trace_structured(
        "artifact",
        metadata_fn=lambda: {"name": artifact, "encoding": "json"},
        payload_fn=lambda: text,
        # What is said outside of a compilation would else pay for a stack (torch/_logging).
        expect_trace_id=False,
    )


def record_for_log(record: Record) -> logging.LogRecord:
    """A record as one of torch's trace logger, for one log alone."""
    text = _json(record)
    metadata = {
        "artifact": {"name": PREFIX + record.names[0], "encoding": "json"},
        "has_payload": hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(),
    }
    return trace_record(metadata, text)


def _json(record: Record) -> str:
    return json.dumps({"v": record.version, **encode(record)}, ensure_ascii=True, default=repr)


def trace_record(metadata: Mapping[str, object], payload: str | None = None) -> logging.LogRecord:
    """A record as torch's trace logger has them (torch/_logging/_internal.py)."""
    record = logging.LogRecord("torch.__trace", logging.DEBUG, __file__, 0, "", None, None)
    record.__dict__.update(metadata=metadata, payload=payload)
    return record


def artifact_name(metadata: Mapping[str, Any]) -> str:
    """The name of the artifact that a record of the trace has; empty for any other."""
    artifact = metadata.get("artifact")
    return str(artifact.get("name")) if isinstance(artifact, Mapping) else ""


def guarded(where: str, action: Callable[[], None]) -> None:
    """Does something of ours inside torch; if it fails, that is recorded, and no more happens."""
    try:
        action()
    except Exception as error:  # noqa: BLE001 - the user's program must not notice, whatever it is
        # If the writer itself is broken, nothing is left to say it with.
        with contextlib.suppress(Exception):
            emit(Problem(where, repr(error)))
