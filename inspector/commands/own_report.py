"""Reports that this tool wrote as JSON, where a recording is asked for."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from inspector.errors import UsageError
from inspector.findings.escaping import one_line

_BEGINNING = 4_096  # what says of what kind it is stands first
_MARK = b'"tool_version"'
_COMPARE = {
    "bench": "bench {target} --compare {file}",
    "explain": "explain {target} --baseline {file}",
}


def refuse_report(path: Path) -> None:
    """Refuses a report of our own: it has been written for people and programs to read.

    Raises:
        UsageError: It is one; what it can be used for is the next step.
    """
    fields = _report(path)
    if fields is None:
        return
    kind = str(fields.get("kind") or ("explain" if "findings" in fields else ""))
    command = {"bench-collection": "bench", "kernel-bench": "profile"}
    verb = one_line(command.get(kind, kind))
    shown = one_line(str(path))
    message = f"{shown} is a report of `inspect {verb}`, and no recording."
    recording = fields.get("recording")
    target = str(recording.get("target") or "") if isinstance(recording, dict) else ""
    if kind in _COMPARE:
        asked = _COMPARE[kind].format(
            target=shlex.quote(one_line(target)) if target else "model.py", file=shlex.quote(shown)
        )
        raise UsageError(message, f"Compare with it: inspect {asked}")
    raise UsageError(message, "Name the model, or the recording that it was written from.")


def _report(path: Path) -> dict[str, Any] | None:
    """The report's fields, or None where it is none."""
    if path.suffix != ".json":
        return None
    try:
        with path.open("rb") as stream:
            if _MARK not in stream.read(_BEGINNING):
                return None
        fields = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return fields if isinstance(fields, dict) and "format_version" in fields else None
