"""JSON Schemas of reports, from the tables of views, type hints and docstrings."""

import collections.abc
import dataclasses
import enum
import inspect
import re
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from inspector.report.json.encode import Field, View, Views, is_plain

Schema: TypeAlias = dict[str, Any]
_SIMPLE = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
_ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


def make_schema(report: type, views: Views) -> Schema:
    """The schema of a kind of report."""
    maker = _Maker(views)
    schema = maker.object(report, views[report])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": _first(report.__doc__),
        **schema,
        "$defs": dict(sorted(maker.definitions.items())),
    }


class _Maker:
    """Collects the definitions that a schema refers to."""

    def __init__(self, views: Views) -> None:
        self._views = views
        self._names: dict[tuple[type, str], str] = {}
        self.definitions: dict[str, Schema] = {}

    def object(self, kind: type, view: View) -> Schema:
        """The schema of a type's objects."""
        properties = {field.key: self._field(kind, field, view) for field in view.fields}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }

    def of(self, hint: Any, view: str = "") -> Schema:  # noqa: ANN401 - a type hint
        """The schema of what a hint allows."""
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Literal:
            return {"enum": list(arguments)}
        if origin in {types.UnionType, typing.Union}:
            return _union([self.of(argument, view) for argument in arguments])
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        if isinstance(origin, type):
            kinds = [argument for argument in arguments if argument is not Ellipsis]
            return {"type": "array", "items": _union([self.of(kind, view) for kind in kinds])}
        return self._of_type(hint, view) if isinstance(hint, type) else {}

    def _of_type(self, kind: type[Any], view: str) -> Schema:
        if kind in _SIMPLE or kind is object:
            return {"type": _SIMPLE[kind]} if kind in _SIMPLE else {}
        if issubclass(kind, enum.Enum):
            return {"enum": [member.value for member in kind]}
        found = self._views.get(view or kind)
        if found is None and not is_plain(kind):
            return {"type": "string"}
        key = kind, view
        if key not in self._names:
            name = view or kind.__name__.lstrip("_")
            while name in self._names.values():
                name += "_"
            self._names[key] = name
            fields = found or View(" ".join(field.name for field in dataclasses.fields(kind)))
            self.definitions[name] = {
                "description": _first(kind.__doc__),
                **self.object(kind, fields),
            }
        return {"$ref": f"#/$defs/{self._names[key]}"}

    def _field(self, kind: type, field: Field, view: View) -> Schema:
        computed = view.computed.get(field.key)
        if callable(computed):
            hints = typing.get_type_hints(computed)
            text = computed.__doc__ if computed.__name__ != "<lambda>" else ""
            return _described(self.of(hints.get("return", type(None)), field.view), _first(text))
        if computed is not None:
            return {"const": computed}
        begin = view.computed.get(field.path[0])
        if callable(begin):
            of = typing.get_type_hints(begin)["return"]
            hint, text, is_many, is_nullable = _walk(of, field.path[1:])
        else:
            hint, text, is_many, is_nullable = _walk(kind, field.path)
        if field.form == "pairs":
            hint = Mapping[str, _value_of(hint)]  # type: ignore[misc]
        made = self.of(hint, field.view)
        if is_many:
            made = made if made.get("type") == "array" else {"type": "array", "items": made}
        elif is_nullable or field.is_nullable or field.is_file:
            made = _union([made, {"type": "null"}])
        return _described(made, text)


def _walk(kind: Any, path: tuple[str, ...]) -> tuple[Any, str, bool, bool]:  # noqa: ANN401
    """The hint at a path, its description, whether it is a list over it, whether it can be null."""
    text, is_many, is_nullable = "", False, False
    for step in path:
        while True:
            plain, none = _without_none(kind)
            origin = typing.get_origin(plain)
            if not (isinstance(origin, type) and issubclass(origin, collections.abc.Sequence)):
                break
            is_many, kind = True, typing.get_args(plain)[0]
        is_nullable |= none
        kind, text = _attribute(plain, step)
    if is_many:
        kind = _without_none(kind)[0]
    return kind, text, is_many, is_nullable


def _attribute(kind: type, name: str) -> tuple[Any, str]:
    """The hint of an attribute or a property, and what its docstring says."""
    found = inspect.getattr_static(kind, name, None)
    if isinstance(found, property):
        assert found.fget is not None  # noqa: S101 - a property without one cannot be read
        return typing.get_type_hints(found.fget)["return"], _first(found.__doc__)
    return typing.get_type_hints(kind)[name], dict(_attributes(kind)).get(name, "")


def _attributes(kind: type) -> Iterator[tuple[str, str]]:
    """What the docstring, or a record, says of each attribute."""
    if dataclasses.is_dataclass(kind):
        yield from ((item.name, item.metadata.get("text", "")) for item in dataclasses.fields(kind))
    _, _, text = (inspect.getdoc(kind) or "").partition("Attributes:\n")
    yield from ((name, " ".join(found.split())) for name, found in _ATTRIBUTE.findall(text))


def _without_none(hint: Any) -> tuple[Any, bool]:  # noqa: ANN401 - a type hint
    if typing.get_origin(hint) in {types.UnionType, typing.Union}:
        rest = [part for part in typing.get_args(hint) if part is not type(None)]
        return typing.Union[tuple(rest)], len(rest) < len(typing.get_args(hint))  # noqa: UP007
    return hint, False


def _value_of(hint: Any) -> Any:  # noqa: ANN401 - a type hint
    """The second part of pairs."""
    part = typing.get_args(hint)[0]
    if dataclasses.is_dataclass(part):
        names = [field.name for field in dataclasses.fields(part)]
        return typing.get_type_hints(part)[names[1]]
    return typing.get_args(part)[1]


def _union(schemas: list[Schema]) -> Schema:
    distinct = [schema for at, schema in enumerate(schemas) if schema not in schemas[:at]]
    if len(distinct) == 1:
        return distinct[0]
    parts = [part for schema in distinct for part in schema.get("anyOf", [schema])]
    return {"anyOf": [part for at, part in enumerate(parts) if part not in parts[:at]]}


def _described(schema: Schema, text: str) -> Schema:
    # What is None in Python is null in JSON.
    return {"description": re.sub(r"\bNone\b", "null", text), **schema} if text else schema


def _first(text: str | None) -> str:
    """The first paragraph of a docstring."""
    return " ".join((text or "").strip().partition("\n\n")[0].split())
