"""Which object a function was compiled for: modules by number, in the order in which they are met.

Every guard names a value by its path (``self.layers``), and several objects of one class look like
one that changes. Nothing of the program's own runs here, and no object is kept alive.
"""

from __future__ import annotations

import gc
import itertools
import re
import types
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import torch

from inspector.records.recompiles import Alive, Instance
from inspector.trace.failed_guard import stripped_source

_MOST_FOLLOWED = 200
_MOST_CODES = 10_000
_SOURCE = re.compile(r"source=(?P<name>[LG]\[\S+?), accessed_by=")
_GLOBAL = re.compile(r"G\['\w+'\]")
_Follow: TypeAlias = Callable[[str], Any]


class Instances:
    """Knows the objects that compiled functions were called with."""

    def __init__(self) -> None:
        self._numbers: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._count = itertools.count()
        # Of each code object, where its guards meet an object, and of which classes those were.
        self._met: dict[types.CodeType, dict[str, set[type]]] = {}
        self._first: dict[types.CodeType, dict[str, Instance]] = {}
        self._alive: dict[types.CodeType, dict[str, Alive]] = {}

    def note(self, code: types.CodeType, text: str, follow: _Follow) -> dict[str, Instance]:
        """The objects that the guard tree of a code object begins at, by source."""
        if len(self._met) < _MOST_CODES:
            met = self._met.setdefault(code, {})
            outside = (
                name
                for name in _sources(text)
                if not any(name.startswith((f"{each}.", f"{each}[")) for each in met)
            )
            for name in itertools.islice(outside, _MOST_FOLLOWED):
                if _is_instance(follow(name), code):
                    met.setdefault(name, set())
        return self.called_with(code, follow)

    def called_with(self, code: types.CodeType, follow: _Follow) -> dict[str, Instance]:
        """The same for a call of a function of which something was compiled."""
        found: dict[str, Instance] = {}
        for name, kinds in self._met.get(code, {}).items():
            value = follow(name)
            number = self._number(value) if _is_instance(value, code) else None
            if number is not None:
                kinds.add(type(value))
                found[name] = Instance(type(value).__name__, number)
        if found:
            self._first.setdefault(code, found)
        return found

    def alive(self, code: types.CodeType, called_with: Mapping[str, Instance]) -> dict[str, Alive]:
        """How many objects there are of the classes that were met, by source.

        Where some of them are compiled by themselves, those alone are counted; once for a function
        that is called with another object than first, as it takes a while.
        """
        first = self._first.get(code, {})
        if all(first.get(name, found) == found for name, found in called_with.items()):
            return {}
        if code not in self._alive:
            objects = gc.get_objects()
            self._alive[code] = {
                name: _alive(objects, {id(kind) for kind in kinds})
                for name, kinds in self._met.get(code, {}).items()
                if kinds
            }
        return self._alive[code]

    def _number(self, value: object) -> int | None:
        known = self._numbers.get(id(value))
        if known is None or known[0]() is not value:
            try:
                known = self._numbers[id(value)] = weakref.ref(value), next(self._count)
            except TypeError:  # a class with slots
                return None
        return known[1]


def _sources(text: str) -> Iterator[str]:
    """The sources of a guard tree, parents first; of globals those alone that have a name."""
    for match in _SOURCE.finditer(text):
        if match["name"].startswith("L[") or _GLOBAL.fullmatch(match["name"]):
            yield stripped_source(match["name"])


def _is_instance(value: object, code: types.CodeType) -> bool:
    """Whether it is a module, or an object whose method the function is."""
    kind = type(value)
    if issubclass(kind, torch.nn.Module):
        return True
    own = (vars(base).get(code.co_name) for base in kind.__mro__)
    return any(code in _codes(method) for method in own)


def _codes(method: object) -> Iterator[types.CodeType]:
    """The code of a method, and of what a decorator made it of."""
    while type(method) is types.FunctionType:
        yield method.__code__
        method = vars(method).get("__wrapped__")


def _alive(objects: list[Any], kinds: set[int]) -> Alive:
    own = [item for item in objects if id(type(item)) in kinds]
    compiled = [item for item in own if own_attributes(item).get("_compiled_call_impl") is not None]
    wrapper = torch._dynamo.eval_frame.OptimizedModule  # noqa: SLF001 - no public name
    wrapped = [
        item
        for item in objects
        if type(item) is wrapper
        and id(type(own_attributes(item)["_modules"].get("_orig_mod"))) in kinds
    ]
    alone = len(compiled) + len(wrapped)
    return Alive(alone or len(own), alone > 0)


def own_attributes(value: object) -> Mapping[str, Any]:
    """The ``__dict__`` of an object, without asking the program's own code; or nothing."""
    try:
        found: Any = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if type(found) is dict else {}  # of a class it is none
