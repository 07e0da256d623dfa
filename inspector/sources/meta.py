"""``meta.json`` of a recording: written by the recorder, read by everybody.

Format version 1. Paths in it are relative to the project's folder; arguments and environment
variables, which could be secrets, are not in it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path

from inspector.errors import RecordingError
from inspector.model.run import Meta

__all__ = ["FORMAT_VERSION", "META_FILE", "read_meta", "write_meta"]

FORMAT_VERSION = 1
META_FILE = "meta.json"


def write_meta(folder: Path, meta: Meta, extra: Mapping[str, object]) -> None:
    """Writes a recording's description, whole or not at all.

    Args:
        folder: The recording.
        meta: The description.
        extra: What only people and other tools read (versions, hardware, digests, writer).
    """
    fields = {**dataclasses.asdict(meta), **extra}
    del fields["name"]  # where it lies, not what it is
    temporary = folder / f"{META_FILE}.part"
    temporary.write_text(json.dumps(fields, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    temporary.replace(folder / META_FILE)


def read_meta(folder: Path, name: str) -> Meta:
    """Reads a recording's description; a folder without one is a plain trace.

    Raises:
        RecordingError: It is damaged or of a newer format.
    """
    path = folder / META_FILE
    if not path.is_file():
        return Meta(format_version=0, name=name)
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        version = int(fields["format_version"])
    except (ValueError, KeyError, TypeError) as error:
        message = f"{path} is not the description of a recording ({error})."
        raise RecordingError(message, "Read the .log files beside it as a plain trace.") from error
    if version > FORMAT_VERSION:
        message = (
            f"{name} is a recording of format {version}; this version reads up to {FORMAT_VERSION}."
        )
        raise RecordingError(message, "Update with: pip install --upgrade torch-inspector")
    known = {field.name for field in dataclasses.fields(Meta)}
    return Meta(**{**{key: fields[key] for key in known & fields.keys()}, "name": name})
