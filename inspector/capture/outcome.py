"""How the recorded process tells its recorder, in one file, that something went wrong."""

from __future__ import annotations

import json
from pathlib import Path

from inspector.errors import InspectorError

__all__ = ["write_outcome"]


def write_outcome(recording: Path, error: InspectorError) -> None:
    """Writes ``outcome.json``: the sentence, the next step, the user's traceback, the exit code."""
    fields = {
        "v": 1,
        "message": error.message,
        "next_step": error.next_step,
        "detail": error.detail,
        "exit_code": error.exit_code,
    }
    (recording / "outcome.json").write_text(json.dumps(fields), encoding="utf-8")
