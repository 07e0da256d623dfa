"""Files of ours that a recording has beside torch's logs."""

from __future__ import annotations

from pathlib import Path

from inspector.errors import RecordingError


def write_own_file(file: Path, text: str) -> None:
    """Writes a file of a recording.

    Raises:
        RecordingError: It cannot be written.
    """
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"{file} cannot be written ({error.strerror})."
        raise RecordingError(message, "Choose a place with --save DIR.") from error
