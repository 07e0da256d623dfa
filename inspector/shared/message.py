"""Dataclasses as JSON and back: what our processes tell each other, and plans in recordings."""

import json
from pathlib import Path
from typing import ClassVar, Self

from inspector.errors import RecordingError
from inspector.records.codec import decode, encode

FORMAT_VERSION = 1
"""Of plans in a recording: counts up when a field changes its meaning or goes."""


class Message:
    """What one process of ours hands to another one."""

    __slots__ = ()

    def to_json(self) -> str:
        """All fields as one line, without those that have their default."""
        return json.dumps(encode(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote.

        Raises:
            ValueError: It is no JSON.
        """
        return decode(cls, json.loads(text))


class Plan(Message):
    """What a recording of `inspect bench` keeps in a file of its own."""

    __slots__ = ()
    FILE: ClassVar[str]

    def write(self, folder: Path) -> None:
        """Writes the file of a recording."""
        file = folder / self.FILE
        try:
            file.write_text(self.to_json(), encoding="utf-8")
        except OSError as error:
            message = f"{file} cannot be written ({error.strerror})."
            raise RecordingError(message, "Choose another folder with --save DIR.") from error

    @classmethod
    def is_in(cls, folder: Path) -> bool:
        """Whether a recording has the file."""
        return (folder / cls.FILE).is_file()

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Reads that of a recording."""
        if not cls.is_in(folder):
            message = "This recording has no measurements from `inspect bench`."
            raise RecordingError(message, "Record some with: inspect bench model.py")
        try:
            return cls.from_json((folder / cls.FILE).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            message = f"{cls.FILE} of the recording cannot be read: {error}."
            raise RecordingError(message, "Measure again with: inspect bench") from error

    def to_json(self) -> str:
        """All fields, with the version of the format."""
        return json.dumps({"format_version": FORMAT_VERSION, **encode(self)}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote.

        Raises:
            ValueError: It is no such plan, or of a newer version.
        """
        try:
            fields = json.loads(text)
            if fields["format_version"] <= FORMAT_VERSION and fields["target"]:
                return decode(cls, fields)
        except (LookupError, TypeError, ValueError) as error:
            raise ValueError("not an `inspect bench` plan") from error
        raise ValueError("written by a newer torch-inspector")
