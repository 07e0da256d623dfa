"""What a recorded process says outside of its log: how it ended, and what kept it from logging."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from inspector.errors import InspectorError


def write_outcome(recording: Path, error: InspectorError) -> None:
    """Writes ``outcome.json``: the sentence, the next step, the user's traceback, the exit code."""
    fields = {
        "message": error.message,
        "next_step": error.next_step,
        "detail": error.detail,
        "exit_code": error.exit_code,
    }
    if not _write(recording, fields):
        sys.stderr.write(f"error: {error}\n{error.detail}\n")


def write_orderly_end(recording: Path) -> None:
    """Writes ``outcome.json`` where nothing failed; without the file the process ended early."""
    _write(recording, {"exit_code": 0})


def _write(recording: Path, fields: Mapping[str, object]) -> bool:
    """Writes the file whole or not at all; whether it could be written."""
    part = recording / "outcome.json.part"
    try:
        part.write_text(json.dumps({"v": 1, **fields}), encoding="utf-8")
        part.replace(recording / "outcome.json")
    except OSError:
        return False
    return True


def write_problem(recording: Path, where: str, error: Exception) -> None:
    """Writes ``problem.<pid>.json``, if that can be done: there is no log to say it in."""
    fields = {"v": 1, "where": where, "error": repr(error)}
    with contextlib.suppress(OSError):
        recording.mkdir(parents=True, exist_ok=True)
        file = recording / f"problem.{os.getpid()}.json"
        file.write_text(json.dumps(fields), encoding="utf-8")
