"""Reads and writes ``meta.json`` of a recording, whose text `inspector.model.meta_file` makes."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from pathlib import Path

from inspector.errors import RecordingError
from inspector.model.meta_file import FORMAT_VERSION, META_FILE, meta_text
from inspector.model.run import Meta
from inspector.records.codec import decode


def begun_meta(name: str, target: str, settings: Mapping[str, object], partial: str) -> Meta:
    """What a recording says of itself that begins now.

    Args:
        name: Its number in the store, or the file's name.
        partial: Why it is not complete, should nobody complete it.
    """
    started = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    return Meta(FORMAT_VERSION, name, target, settings, started, partial, ended="running")


def write_meta(folder: Path, meta: Meta, extra: Mapping[str, object]) -> None:
    """Writes a recording's description, whole or not at all.

    Args:
        extra: What only people and other tools read (versions, hardware, digests, writer).
    """
    temporary = folder / f"{META_FILE}.part"
    temporary.write_text(meta_text(meta, extra), encoding="utf-8")
    temporary.replace(folder / META_FILE)


def read_meta(folder: Path, name: str) -> Meta:
    """Reads a recording's description; a folder without one is a plain trace.

    Raises:
        RecordingError: It is damaged, cannot be read, or is of a newer format.
    """
    path = folder / META_FILE
    if not path.is_file():
        return Meta(format_version=0, name=name)
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        meta = decode(Meta, fields, name=name)
    except (TypeError, ValueError, RecursionError, OSError) as error:
        raise _no_description(path, str(error)) from error
    version = meta.format_version
    if version < 1:
        raise _no_description(path, "format_version is missing")
    if version > FORMAT_VERSION:
        message = (
            f"{name} is a recording of format {version}; this version reads up to {FORMAT_VERSION}."
        )
        raise RecordingError(message, "Update torch-inspector: git pull in its checkout.")
    return meta


def _no_description(path: Path, reason: str) -> RecordingError:
    message = f"{path} is not the description of a recording ({reason})."
    return RecordingError(message, "Read the .log files beside it as a plain trace.")
