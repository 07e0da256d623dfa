"""``inspector_recompile`` and ``inspector_identities``: what only the process knows of guards."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Self

from inspector.events.envelope import Envelope, RawFrame


@dataclasses.dataclass(frozen=True, slots=True)
class SeenValue:
    """An object that a failed guard looked at.

    Attributes:
        type: Name of its type.
        kind: ``none``, ``bool``, ``int``, ``float``, ``str``, ``enum``, ``function``, ``class``,
            ``module``, ``tensor``, ``container``, ``constant`` or ``object``.
        text: What it is, in a few words.
        keys: The keys of a dict in order, as far as they are simple.
        length: How many items a container has, or None.
        tensor: What guards look at in a tensor (``type``, ``keys``, ``dtype``, ``device_index``,
            ``requires_grad``, ``size``, ``stride``), or None.
        identity: Its address, where guards know such an object by it; else an empty string.
    """

    type: str
    kind: str
    text: str
    keys: tuple[str, ...] = ()
    length: int | None = None
    tensor: Mapping[str, object] | None = None
    identity: str = ""

    @classmethod
    def of(cls, fields: object) -> Self | None:
        """Reads one value, or None where there is none."""
        if not isinstance(fields, dict):
            return None
        keys, tensor = fields.get("keys"), fields.get("tensor")
        text, kind = str(fields.get("text", "")), str(fields.get("kind", ""))
        length = fields.get("length")
        if length is None and kind == "container" and text.isdecimal():
            length = int(text)  # earlier recordings have the length alone
        return cls(
            type=str(fields.get("type", "")),
            kind=kind,
            text=text,
            keys=tuple(map(str, keys)) if isinstance(keys, list) else (),
            length=length if isinstance(length, int) else None,
            tensor=tensor if isinstance(tensor, dict) else None,
            identity=str(fields.get("identity") or ""),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Instance:
    """A module that a function was called with, or the object whose method it is.

    Attributes:
        type: Its class, without the module of that.
        number: Tells it apart from all others of the process.
    """

    type: str
    number: int


@dataclasses.dataclass(frozen=True, slots=True)
class Alive:
    """The objects of the classes that a function was called with.

    Attributes:
        count: How many there are.
        alone: Whether those are objects that are compiled by themselves, and no others.
    """

    count: int
    alone: bool


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorIdentities:
    """``inspector_identities``: logged just after a guard tree.

    Attributes:
        objects: Members of enums, functions and classes that its guards know by their address.
        instances: Modules, and ``self``, by source as reasons spell it.
    """

    objects: Mapping[str, SeenValue]
    instances: Mapping[str, Instance]

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload.

        Raises:
            TypeError: It is no JSON object.
        """
        payload = envelope.json_object()
        return cls(_values(payload.get("objects")), _instances(payload.get("instances")))


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorRecompile:
    """``inspector_recompile``: logged just after ``recompile_reasons``.

    Attributes:
        varargs: Name of the function's ``*args``, or an empty string.
        keywords: Name of its ``**kwargs``, or an empty string.
        free: Names that it takes from the functions around it.
        now: What the failed guards look at, by source as reasons spell it.
        before: What was there when the entry was compiled, likewise; objects alone.
        modules: Sources (prefixes of the above) that lead to an ``nn.Module``.
        cells: Names of closure variables, by what guards call their cell (``f.__closure__[0]``).
        stack: The stack down to the function, outermost first.
        first_stack: The same of its first compilation, where another line called it.
        instances: Modules, and ``self``, by source as reasons spell it.
        alive: Where it is another object than before, how many such objects there are, likewise.
    """

    varargs: str
    keywords: str
    free: tuple[str, ...]
    now: Mapping[str, SeenValue]
    before: Mapping[str, SeenValue]
    modules: tuple[str, ...]
    cells: Mapping[str, str]
    stack: tuple[RawFrame, ...]
    instances: Mapping[str, Instance] = dataclasses.field(default_factory=dict)
    alive: Mapping[str, Alive] = dataclasses.field(default_factory=dict)
    first_stack: tuple[RawFrame, ...] = ()

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload.

        Raises:
            TypeError: It is no JSON object.
        """
        payload = envelope.json_object()
        return cls(
            varargs=str(payload.get("varargs") or ""),
            keywords=str(payload.get("keywords") or ""),
            free=_texts(payload.get("free")),
            now=_values(payload.get("now")),
            before=_values(payload.get("before")),
            modules=_texts(payload.get("modules")),
            cells=_names(payload.get("cells")),
            stack=envelope.frames(payload.get("stack")),
            instances=_instances(payload.get("instances")),
            alive=_alive(payload.get("alive")),
            first_stack=envelope.frames(payload.get("first_stack")),
        )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _names(value: object) -> Mapping[str, str]:
    if not isinstance(value, dict):
        return {}
    return {str(cell): name for cell, name in value.items() if isinstance(name, str)}


def _values(value: object) -> Mapping[str, SeenValue]:
    if not isinstance(value, dict):
        return {}
    found = {str(source): SeenValue.of(fields) for source, fields in value.items()}
    return {source: seen for source, seen in found.items() if seen is not None}


def _instances(value: object) -> Mapping[str, Instance]:
    return {
        str(source): Instance(str(fields.get("type", "")), fields["number"])
        for source, fields in (value.items() if isinstance(value, dict) else ())
        if isinstance(fields, dict) and isinstance(fields.get("number"), int)
    }


def _alive(value: object) -> Mapping[str, Alive]:
    return {
        str(source): Alive(fields["count"], bool(fields.get("alone")))
        for source, fields in (value.items() if isinstance(value, dict) else ())
        if isinstance(fields, dict) and isinstance(fields.get("count"), int)
    }
