"""Dataclasses as JSON and back, by their annotations: what our processes and recordings hold.

What does not fit is refused: a process does what it was asked for or nothing. Records in a log are
read field by field instead (`inspector.records.codec`), as nobody can ask for them again.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from typing import Any, Self, TypeVar

_T = TypeVar("_T")

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
            TypeError, ValueError: It does not fit.
        """
        return read_as(cls, json.loads(text))


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
                return read_as(cls, fields)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise ValueError("it is no plan of `inspect bench`") from error
        raise ValueError("it was written by a newer torch-inspector")


def read_as(kind: type[_T], value: object) -> _T:
    """A dataclass out of what JSON gave.

    Fields that it has not are left out: another version has written them.

    Raises:
        TypeError, ValueError: Something does not fit its annotation.
    """
    made: _T = _read(kind, value)
    return made


def _read(kind: Any, value: Any) -> Any:  # noqa: ANN401 - any annotation, and what JSON holds
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        return _either(inner, value)
    is_object = origin is Mapping or dataclasses.is_dataclass(kind)
    usual = list if origin is tuple else kind
    expected: Any = Mapping if is_object else (int, float) if kind is float else usual
    is_truth = isinstance(value, bool) and kind is not bool  # which is an int
    if not isinstance(value, expected) or (is_truth and kind is not object):
        raise TypeError(value)
    if origin is Mapping:
        return {name: _read(inner[1], item) for name, item in value.items()}
    if is_object:
        hints = typing.get_type_hints(kind)
        return kind(**{key: _field(key, hints[key], value[key]) for key in value if key in hints})
    if origin is tuple:
        kinds = inner[:1] * len(value) if inner[1:] == (...,) else inner
        return tuple(_read(each, item) for each, item in zip(kinds, value, strict=True))
    return value


def _field(name: str, kind: Any, value: Any) -> Any:  # noqa: ANN401 - as in `_read`
    try:
        return _read(kind, value)
    except (TypeError, ValueError) as error:
        message = f"{name} is not as it should be"
        raise TypeError(message) from error


def _either(kinds: tuple[Any, ...], value: Any) -> Any:  # noqa: ANN401 - as in `_read`
    for kind in kinds:
        try:
            return _read(kind, value)
        except (TypeError, ValueError):
            continue
    raise TypeError(value)
