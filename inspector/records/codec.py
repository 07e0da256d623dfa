"""Dataclasses as JSON and back, by their annotations.

A value that does not fit costs its field, never the record: the field becomes its default, or the
empty value of its type. The child may import nothing but the standard library and torch, and
libraries that do this (msgspec, cattrs, pydantic) refuse the whole record.
"""

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

from inspector.records.record import SignedInt

_T = TypeVar("_T")
_Reader = Callable[[object], object]
_MISSING = object()
_LIMIT = 1 << 63  # what readers of our JSON can hold
_LARGEST = 1e300
_MOST_DIGITS = 19
_NOT_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_EMPTY: Mapping[object, object] = {int: 0, SignedInt: 0, str: "", bool: False, float: 0.0}


def encode(record: object) -> dict[str, object]:
    """The fields of a dataclass as JSON, without those that have their default."""
    made: dict[str, object] = {}
    for field in _plan(type(record)):
        value = getattr(record, field.name)
        if field.is_inline:
            made |= encode(value)
        elif not field.has_default or value != field.default:
            made[field.keys[0]] = _written([*value.values()] if field.by else value)
    return made


def decode(cls: type[_T], value: object, **given: object) -> _T:
    """An instance out of a JSON object."""
    fields: Mapping[str, object] = value if isinstance(value, Mapping) else {}
    made: dict[str, object] = {}
    for field in _plan(cls):
        key = next((key for key in field.keys if key in fields), None)
        found = given.get(field.name, _MISSING)
        if field.is_inline:
            found = field.read(fields)
        elif found is _MISSING and key is not None:
            found = field.read(fields[key])
        if field.choices and found not in field.choices:
            found = _MISSING
        if found is not _MISSING:
            made[field.name] = found
        elif not field.has_default:
            made[field.name] = field.default
    return cls(**made)


@dataclasses.dataclass(frozen=True, slots=True)
class _Field:
    """A field, its keys in JSON, and what it is without a value that fits."""

    name: str
    keys: tuple[str, ...]
    read: _Reader
    default: object
    has_default: bool
    choices: tuple[str, ...]
    is_inline: bool
    by: str


def _plan(cls: Any) -> tuple[_Field, ...]:  # noqa: ANN401 - any dataclass
    return _fields(cls)


@functools.cache
def _fields(cls: Any) -> tuple[_Field, ...]:  # noqa: ANN401 - any dataclass
    hints = typing.get_type_hints(cls, include_extras=True)
    return tuple(_field(item, hints[item.name]) for item in dataclasses.fields(cls))


def _field(item: dataclasses.Field[Any], hint: object) -> _Field:
    has_default, default = True, item.default
    if item.default_factory is not dataclasses.MISSING:
        default = item.default_factory()
    elif default is dataclasses.MISSING:
        has_default, default = False, _empty(hint)
    by = item.metadata.get("by", "")
    keys = (item.metadata.get("key") or item.name, item.metadata.get("also"))
    return _Field(
        item.name,
        tuple(filter(None, keys)),
        functools.partial(_by_name, by, _reader(typing.get_args(hint)[1])) if by else _reader(hint),
        default,
        has_default,
        item.metadata.get("choices", ()),
        item.metadata.get("inline", False),
        by,
    )


def _empty(hint: Any) -> object:  # noqa: ANN401 - any annotation
    if hint in _EMPTY:
        return _EMPTY[hint]
    if dataclasses.is_dataclass(hint):
        return decode(typing.cast("type", hint), {})
    origin = typing.get_origin(hint)
    if origin is tuple:
        inner = typing.get_args(hint)
        return () if inner[1:] == (...,) else tuple(map(_empty, inner))
    return origin() if origin is frozenset else {} if origin is not types.UnionType else None


def _reader(hint: Any) -> _Reader:  # noqa: ANN401, PLR0911 - any annotation, a line for each kind
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if dataclasses.is_dataclass(hint):
        return functools.partial(_object, hint)
    if set(inner) == {int, str} and origin is types.UnionType:
        # Of a tensor: a number, or the text of anything else (a symbol's name).
        return lambda value: str(value) if _natural(value) is _MISSING else value
    if origin in {types.UnionType, typing.Union}:
        return functools.partial(_either, [_reader(each) for each in inner])
    if origin is tuple and inner[1:] == (...,):
        return functools.partial(_items, _reader(inner[0]), tuple)
    if origin is frozenset:
        return functools.partial(_items, _reader(inner[0]), frozenset)
    if origin is tuple:
        return functools.partial(_tuple, tuple(map(_reader, inner)))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return functools.partial(_mapping, _KEYS[inner[0]], _reader(inner[1]))
    raise TypeError(hint)


def _object(cls: Any, value: object) -> object:  # noqa: ANN401 - any dataclass
    if _is_row(cls) and isinstance(value, list):
        value = dict(zip((field.keys[0] for field in _fields(cls)), value, strict=False))
    return decode(cls, value) if isinstance(value, Mapping) else _MISSING


def _is_row(cls: type) -> bool:
    return getattr(cls, "is_row", False)


def _either(readers: list[_Reader], value: object) -> object:
    found = (read(value) for read in readers)
    return next((item for item in found if item is not _MISSING), _MISSING)


def _items(read: _Reader, made: Callable[..., object], value: object) -> object:
    if not isinstance(value, list | tuple):
        return _MISSING
    return made(item for item in map(read, value) if item is not _MISSING)


def _by_name(name: str, read: _Reader, value: object) -> object:
    found = _items(read, tuple, value)
    return found if found is _MISSING else {getattr(item, name): item for item in found}  # type: ignore[attr-defined]


def _tuple(readers: tuple[_Reader, ...], value: object) -> object:
    if not isinstance(value, list | tuple) or len(value) != len(readers):
        return _MISSING
    found = tuple(read(item) for read, item in zip(readers, value, strict=True))
    return _MISSING if _MISSING in found else found


def _mapping(key: Callable[[object], object], read: _Reader, value: object) -> object:
    """A number that does not fit is 0: the names tell what there is."""
    if not isinstance(value, Mapping):
        return _MISSING
    empty = 0 if read is _natural else _MISSING
    pairs = [
        (key(name), empty if (found := read(item)) is _MISSING else found)
        for name, item in value.items()
    ]
    return {name: item for name, item in pairs if _MISSING not in (name, item)}


def _whole(value: object, least: int = -_LIMIT) -> object:
    fits = isinstance(value, int) and not isinstance(value, bool) and least <= value < _LIMIT
    return value if fits else _MISSING


def _natural(value: object) -> object:
    return _whole(value, 0)


def _number(value: object) -> object:
    if isinstance(value, str):
        return _NOT_FINITE.get(value, _MISSING)
    if isinstance(value, float) and not math.isfinite(value):
        return value
    fits = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if fits and -_LARGEST < value < _LARGEST else _MISSING  # type: ignore[operator, arg-type]


def _numbered(name: object) -> object:
    if isinstance(name, int):
        return _natural(name)
    is_number = str(name).isdecimal() and len(str(name)) <= _MOST_DIGITS
    return _natural(int(str(name))) if is_number else _MISSING


_PLAIN: Mapping[object, _Reader] = {
    int: _natural,
    SignedInt: _whole,
    float: _number,
    str: lambda value: value if isinstance(value, str) else _MISSING,
    bool: lambda value: value if isinstance(value, bool) else _MISSING,
    object: lambda value: value,
    types.NoneType: lambda value: None if value is None else _MISSING,
}
_KEYS: Mapping[object, _Reader] = {str: str, int: _numbered}


def _written(value: object) -> object:
    if dataclasses.is_dataclass(value):
        if _is_row(type(value)):
            return [_written(getattr(value, item.name)) for item in dataclasses.fields(value)]
        return encode(value)
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, Mapping):
        return {str(name): _written(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_written(item) for item in value]
    return sorted(map(_written, value), key=repr) if isinstance(value, AbstractSet) else value
