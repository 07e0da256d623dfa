"""Reads and writes ``meta.json`` of a recording, whose text `inspector.model.meta_file` makes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_origin, get_type_hints

from inspector.errors import RecordingError
from inspector.model.meta_file import FORMAT_VERSION, META_FILE, meta_text
from inspector.model.run import Meta

# Every field but the name, which is not in the file; what a value has to be an instance of.
_TYPES: Mapping[str, Any] = {
    name: Mapping if get_origin(kind) is Mapping else kind
    for name, kind in get_type_hints(Meta).items()
    if name != "name"
}
_WORDS = {str: "text", Mapping: "object"}


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

    Fields that this version does not know are passed over; a field of a wrong type makes it no
    description, for nothing else in it could be trusted.

    Raises:
        RecordingError: It is damaged, cannot be read, or is of a newer format.
    """
    path = folder / META_FILE
    if not path.is_file():
        return Meta(format_version=0, name=name)
    try:
        fields = _checked(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, RecursionError, OSError) as error:
        message = f"{path} is not the description of a recording ({error})."
        raise RecordingError(message, "Read the .log files beside it as a plain trace.") from error
    version = fields["format_version"]
    if version > FORMAT_VERSION:
        message = (
            f"{name} is a recording of format {version}; this version reads up to {FORMAT_VERSION}."
        )
        raise RecordingError(message, "Update torch-inspector: git pull in its checkout.")
    return Meta(**{key: fields[key] for key in _TYPES.keys() & fields.keys()}, name=name)


def _checked(fields: object) -> dict[str, Any]:
    if not isinstance(fields, dict):
        message = "it is no JSON object"
        raise ValueError(message)  # noqa: TRY004 - what the caller reports for any damage
    for name, type_ in _TYPES.items():
        # True is an int.
        value = fields.get(name)
        if name in fields and (isinstance(value, bool) or not isinstance(value, type_)):
            message = f"{name} is no {_WORDS.get(type_, 'whole number')}"
            raise ValueError(message)
    if fields.get("format_version", 0) < 1:
        message = "format_version is missing"
        raise ValueError(message)
    return fields
