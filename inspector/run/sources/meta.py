"""Begins recordings, and reads and writes ``meta.json`` of them."""

import json
from collections.abc import Mapping
from pathlib import Path

from inspector.errors import RecordingError
from inspector.records.codec import decode
from inspector.run.sources.store import new_recording, prune, recorder_mark
from inspector.shared.meta import FORMAT_VERSION, META_FILE, Meta, begun_meta
from inspector.version import __version__


def begin(
    folder: Path | None, name: str, target: str, settings: Mapping[str, object], partial: str
) -> tuple[Path, Meta]:
    """Makes the folder of a recording, and writes what that says until it is complete.

    Args:
        folder: One that is empty or not there yet, or None for the next one in the store.

    Raises:
        RecordingError: The folder is not empty, or cannot be written to.
    """
    try:
        if folder is None:
            folder = new_recording()
            prune(folder)
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise RecordingError(f"{folder} is not empty.", "Choose another folder.")
        meta = begun_meta(name or folder.name, target, settings, partial)
        write_meta(folder, meta, {"tool_version": __version__, **recorder_mark()})
    except OSError as error:
        raise unwritable(folder or Path(".inspector"), error) from error
    return folder, meta


def unwritable(folder: Path, error: OSError) -> RecordingError:
    """That a recording cannot be written."""
    message = f"No recording can be written to {folder} ({error.strerror})."
    return RecordingError(message, "Choose another folder.")


def write_meta(folder: Path, meta: Meta, extra: Mapping[str, object]) -> None:
    """Writes a recording's description, whole or not at all; see `Meta.text`."""
    temporary = folder / f"{META_FILE}.part"
    temporary.write_text(meta.text(extra), encoding="utf-8")
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
            f"{name} has format {version}, but this version supports formats up to "
            f"{FORMAT_VERSION}."
        )
        raise RecordingError(message, "Update torch-inspector: run git pull in its checkout.")
    return meta


def _no_description(path: Path, reason: str) -> RecordingError:
    message = f"{path} is not the metadata of a recording ({reason})."
    return RecordingError(message, "Read the .log files next to it as a plain trace.")
