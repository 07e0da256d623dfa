"""Dataclasses as JSON and back: what our processes tell each other, and plans in recordings."""

from __future__ import annotations

import json
from typing import Self

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
            raise ValueError("it is no plan of `inspect bench`") from error
        raise ValueError("it was written by a newer torch-inspector")
