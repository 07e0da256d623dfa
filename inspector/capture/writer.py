"""The one writer of our own artifacts: nothing that fails in it reaches the user's program."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping

from torch._logging import trace_structured

__all__ = ["PREFIX", "guarded", "write_artifact"]

PREFIX = "inspector_"


def write_artifact(name: str, payload: Mapping[str, object]) -> None:
    """Writes ``inspector_<name>`` into the trace, with torch's current compile id.

    Args:
        name: The artifact's name without its prefix.
        payload: What it says; ``v`` is its version. Escaped to ASCII, so that lone surrogates,
            which torch's own handlers cannot write, are harmless.
    """
    text = json.dumps(payload, ensure_ascii=True, default=repr)
    trace_structured(
        "artifact",
        metadata_fn=lambda: {"name": PREFIX + name, "encoding": "json"},
        payload_fn=lambda: text,
        # What is said outside of a compilation would else pay for a stack (torch/_logging).
        expect_trace_id=False,
    )


def guarded(where: str, action: Callable[[], None]) -> None:
    """Does something of ours inside torch; if it fails, that is recorded and nothing else happens.

    Args:
        where: What is done, for the record.
        action: Does it.
    """
    try:
        action()
    except Exception as error:  # noqa: BLE001 - the user's program must not notice, whatever it is
        # If the writer itself is broken, nothing is left to say it with.
        with contextlib.suppress(Exception):
            write_artifact("problem", {"v": 1, "where": where, "error": repr(error)})
