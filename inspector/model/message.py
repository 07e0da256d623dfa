"""Dataclasses as JSON and back, by their annotations: what our processes and recordings hold."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from typing import Any, Self

FORMAT_VERSION = 1
"""Of plans in a recording: counts up when a field changes its meaning or goes."""


class Message:
    """What one process of ours hands to another one."""

    __slots__ = ()

    def to_json(self) -> str:
        """All fields as one line."""
        return json.dumps(dataclasses.asdict(typing.cast("Any", self)))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote.

        Raises:
            LookupError, TypeError, ValueError: It does not fit.
        """
        return typing.cast("Self", read_as(cls, json.loads(text)))


class Plan(Message):
    """What a recording of `inspect bench` keeps in a file of its own."""

    __slots__ = ()

    def to_json(self) -> str:
        """All fields, with the version of the format."""
        fields = dataclasses.asdict(typing.cast("Any", self))
        return json.dumps({"format_version": FORMAT_VERSION, **fields}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote.

        Raises:
            ValueError: It is no such plan, or of a newer version.
        """
        try:
            fields = json.loads(text)
            if fields.pop("format_version") <= FORMAT_VERSION:
                return typing.cast("Self", read_as(cls, fields))
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise ValueError("it is no plan of `inspect bench`") from error
        raise ValueError("it was written by a newer torch-inspector")


def read_as(kind: Any, value: Any) -> Any:  # noqa: ANN401 - any annotation, and what JSON holds
    """A value that fits an annotation: a dataclass, a tuple, a mapping, a union or a plain type.

    Raises:
        LookupError, TypeError, ValueError: It does not fit.
    """
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        return _either(inner, value)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        made: Any = kind
        return made(**{name: read_as(hints[name], item) for name, item in value.items()})
    if origin is Mapping:
        return {name: read_as(inner[1], item) for name, item in value.items()}
    if origin is tuple and isinstance(value, list):
        kinds = inner[:1] * len(value) if inner[1:] == (...,) else inner
        return tuple(read_as(each, item) for each, item in zip(kinds, value, strict=True))
    if origin is tuple or not isinstance(value, (int, float) if kind is float else kind):
        raise TypeError(value)
    return value


def _either(kinds: tuple[Any, ...], value: Any) -> Any:  # noqa: ANN401 - as in `read_as`
    for kind in kinds:
        try:
            return read_as(kind, value)
        except (AttributeError, LookupError, TypeError, ValueError):
            continue
    raise TypeError(value)
