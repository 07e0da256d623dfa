"""Encodes reports as JSON by tables of views; schemas are generated from the same tables."""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from inspector.version import __version__

_T = TypeVar("_T")
# What orjson writes, and most readers keep.
_LEAST, _MOST = -(2**63), 2**63 - 1


@dataclasses.dataclass(frozen=True, slots=True)
class Scope:
    """A value, with its place in a sequence and what it is a part of: None for the report."""

    value: Any
    parent: Scope | None = None
    index: int = 0

    def of(self, kind: type[_T]) -> _T:
        """The value, or the nearest one around it, of a type."""
        return self._around(kind).value  # type: ignore[no-any-return]

    def index_of(self, kind: type) -> int:
        """The place in its sequence of the nearest value of a type."""
        return self._around(kind).index

    def shown(self, file: str) -> str:
        """A file as a person sees it."""
        scope = self
        while not hasattr(scope.value, "run"):
            assert scope.parent is not None  # noqa: S101 - each report has a run
            scope = scope.parent
        return str(scope.value.run.roots.shown(file))

    def _around(self, kind: type) -> Scope:
        scope = self
        while not isinstance(scope.value, kind):
            if scope.parent is None:
                raise LookupError(kind)
            scope = scope.parent
        return scope


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """A field of a JSON object, as in the text of a view."""

    key: str
    path: tuple[str, ...]
    is_file: bool
    is_nullable: bool
    form: Literal["", "pairs", "sorted"]
    view: str


class View:
    """How values of a type become JSON objects.

    Args:
        text: The fields in order. ``a`` is an attribute; ``b=c.d`` is attribute ``d`` of ``c``:
            null if ``c`` is None, and a list over all ``c`` if ``c`` is a sequence. What is empty
            becomes null with ``?``. ``{}`` makes pairs an object, ``<`` sorts an object by its
            keys, ``b=~c`` shows a file as people see it, and ``:view`` names a view.
        computed: Fields that no attribute has: a constant, or a function of the scope; a path may
            begin with the name of a function.
    """

    def __init__(self, text: str, /, **computed: Callable[[Scope], object] | str | float) -> None:
        self.fields = tuple(map(_field, text.split()))
        self.computed = computed


Views: TypeAlias = Mapping[type | str, View]
_FIELD = re.compile(r"(\w+)(?:=(~?)([\w.]+))?(\{\}|<)?(\?)?(?::(\w+))?")


def _field(text: str) -> Field:
    found = _FIELD.fullmatch(text)
    if found is None:
        raise ValueError(text)
    key, file, path, form, null, view = found.groups()
    steps = tuple((path or key).split("."))
    shape: Literal["", "pairs", "sorted"] = {"{}": "pairs", "<": "sorted"}.get(form, "")  # type: ignore[assignment]
    return Field(key, steps, file == "~", null == "?", shape, view or "")


def tool_version(_: Scope) -> str:
    """The version of torch-inspector that wrote the report."""
    return __version__


def encode(scope: Scope, views: Views, view: str = "") -> object:
    """A value as JSON: dataclasses by their view, or with all fields where they have none."""
    value = scope.value
    match value:
        case enum.Enum():
            return value.value
        case Mapping():
            return {str(name): encode(Scope(item, scope), views) for name, item in value.items()}
        case str() | int() | float() | None:
            return value
        case Sequence() | frozenset():
            return [
                encode(Scope(item, scope, index), views, view) for index, item in enumerate(value)
            ]
    return _object(scope, views, views.get(view or type(value)))


def is_plain(kind: type) -> bool:
    """Whether values of a type are objects in JSON; others, such as compile ids, are text."""
    return dataclasses.is_dataclass(kind) and kind.__str__ is object.__str__


def _object(scope: Scope, views: Views, view: View | None) -> object:
    value = scope.value
    if view is not None:
        return {field.key: _encoded(scope, field, view, views) for field in view.fields}
    if not is_plain(type(value)):
        return str(value)
    names = (field.name for field in dataclasses.fields(value))
    return {name: encode(Scope(getattr(value, name), scope), views) for name in names}


def _encoded(scope: Scope, field: Field, view: View, views: Views) -> object:
    if field.key in view.computed:
        computed = view.computed[field.key]
        value = computed(scope) if callable(computed) else computed
        return encode(Scope(value, scope), views, field.view)
    begin, *further = field.path
    first = view.computed.get(begin)
    if callable(first):
        found, is_many = _resolved(Scope(first(scope), scope), tuple(further))
    else:
        found, is_many = _resolved(scope, field.path)
    if is_many:
        return [encode(item, views, field.view) for item in found if item.value is not None]
    item = found[0]
    if field.is_nullable and not item.value:
        return None
    value = item.value
    if field.is_file and value is not None:
        value = scope.shown(value) or None
    elif field.form == "pairs":
        value = dict(map(_pair, value or ()))
    elif field.form == "sorted":
        value = dict(sorted(value.items()))
    return encode(Scope(value, item.parent, item.index), views, field.view)


def _pair(item: Any) -> tuple[str, object]:  # noqa: ANN401 - a tuple, or a dataclass of two fields
    if not isinstance(item, tuple):
        item = [getattr(item, field.name) for field in dataclasses.fields(item)[:2]]
    key, value = item
    return str(key.value if isinstance(key, enum.Enum) else key), value


def _resolved(scope: Scope, path: tuple[str, ...]) -> tuple[list[Scope], bool]:
    """The values at a path, and whether it led through a sequence."""
    scopes, is_many = [scope], False
    for step in path:
        parts: list[Scope] = []
        for item in scopes:
            if isinstance(item.value, (tuple, list)):
                is_many = True
                parts += [Scope(part, item.parent, at) for at, part in enumerate(item.value)]
            else:
                parts.append(item)
        scopes = [
            Scope(None if part.value is None else getattr(part.value, step), part) for part in parts
        ]
    if is_many:  # the last attribute of each may be a sequence again
        scopes = [
            part
            for item in scopes
            for part in (
                [Scope(one, item.parent, at) for at, one in enumerate(item.value)]
                if isinstance(item.value, tuple)
                else [item]
            )
        ]
    return scopes, is_many


def cleaned(value: object) -> object:
    """The value without what orjson refuses.

    Lone surrogates are spelled out (a file name that is no UTF-8), integers beyond 64 bits are cut
    to them, and what is of no JSON type is text. (NaN and infinity orjson writes as null.)
    """
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode("utf-8")
        case None | bool() | float():
            return value
        case int():
            return min(max(value, _LEAST), _MOST)
        case Mapping():
            return {str(cleaned(str(name))): cleaned(item) for name, item in value.items()}
        case list() | tuple():
            return [cleaned(item) for item in value]
        case _:
            return cleaned(str(value))
