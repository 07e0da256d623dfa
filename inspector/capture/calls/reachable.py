"""What a call of a function can change: the objects that its code can get at.

Found through what a function holds itself: the object it is a method of, its closure, its default
arguments, the globals that its code names, and the same of the functions found there. Nothing is
asked of an object but its ``__dict__``: a property could compute anything.
"""

from __future__ import annotations

import collections
import functools
import inspect
import itertools
import random
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from inspector.capture.compiled import uncompiled

_MOST_OBJECTS = 20_000
_MOST_ITEMS = 1_000
_MOST_STEPS = 6
_NOT_LOOKED_INTO = ("torch", "numpy", "inspector", *sys.stdlib_module_names)


class Reachable:
    """Walks from a function to what it can change.

    Attributes:
        modules: With those inside of them.
        tensors: Parameters, buffers, what optimizers keep, and others.
        objects: Others with attributes of their own.
        generators: Those of torch, NumPy and Python that are not the global ones.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        self.modules: list[Any] = []
        self.tensors: list[Any] = []
        self.optimizers: list[Any] = []
        self.objects: list[Any] = []
        self.generators: list[Any] = []
        # The objects too, so that no number is given to another one meanwhile.
        self._seen: dict[object, object] = {}
        # By steps: what is met on a longer way first would be left too early.
        waiting = collections.deque[tuple[object, int]]([(uncompiled(function), 0)])
        while waiting and len(self._seen) < _MOST_OBJECTS:
            found, steps = waiting.popleft()
            key = _key(found)
            if key in self._seen or steps > _MOST_STEPS:
                continue
            self._seen[key] = found
            if isinstance(found, torch.nn.Module):
                # However deep they are nested, the parts of a model are part of it.
                parts = (found._modules, found._parameters, found._buffers)  # noqa: SLF001
                waiting.extendleft((part, steps) for items in parts for part in items.values())
            self._sort_in(found)
            waiting.extend((inner, steps + 1) for inner in _inside(found))

    def _sort_in(self, found: object) -> None:
        numpy = sys.modules.get("numpy")
        if isinstance(found, torch.Tensor):
            self.tensors.append(found)
        elif isinstance(found, torch.nn.Module):
            self.modules.append(found)
        elif isinstance(found, torch.optim.Optimizer):
            self.optimizers.append(found)
        elif isinstance(found, torch.Generator | random.Random) or (
            numpy is not None and isinstance(found, numpy.random.Generator)
        ):
            self.generators.append(found)
        elif not (
            isinstance(found, types.FunctionType | types.ModuleType | type | functools.partial)
            or _is_foreign(type(found).__module__)
        ):
            self.objects.append(found)


def _key(found: object) -> object:
    """What makes it the same object; a bound method is made anew each time it is looked up."""
    if isinstance(found, types.MethodType):
        return id(found.__self__), id(found.__func__)
    return id(found)


def _inside(found: Any) -> Iterable[object]:
    held: Iterable[object] = ()
    match found:
        case types.FunctionType():
            held = () if _is_foreign(found.__module__) else _held(found)
        case types.MethodType():
            held = (found.__self__, found.__func__, *_methods(found))
        case functools.partial():
            held = (found.func, *found.args, *found.keywords.values())
        case dict():
            held = itertools.islice(dict.values(found), _MOST_ITEMS)
        case list() | tuple() | set() | frozenset():
            held = itertools.islice(found, _MOST_ITEMS)
        case torch.Tensor() | type() | types.ModuleType():
            pass  # a module of Python is looked into by name alone
        case torch.nn.Module() if not _is_foreign(type(found).__module__):
            held = (*vars(found).values(), types.MethodType(type(found).forward, found))
        case torch.nn.Module() | torch.optim.Optimizer():
            held = vars(found).values()  # their hooks are the user's
        case _ if not _is_foreign(type(found).__module__):
            held = getattr(found, "__dict__", {}).values()
    return tuple(held)


def _methods(method: types.MethodType) -> Iterator[object]:
    code = getattr(method.__func__, "__code__", None)
    owner = type(method.__self__)
    for name in _names(code) if code is not None else ():
        found = inspect.getattr_static(owner, name, None)
        if isinstance(found, types.FunctionType) and not _is_foreign(found.__module__):
            yield types.MethodType(found, method.__self__)


def _is_foreign(module: object) -> bool:
    """Whether it is torch's, NumPy's or Python's own code, whose globals are not the user's."""
    return str(module).partition(".")[0] in _NOT_LOOKED_INTO and module != "__main__"


def _held(function: types.FunctionType) -> Iterator[object]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue  # not assigned yet
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    yield from vars(function).values()  # `__wrapped__`, and what torch.compile keeps there
    names = tuple(dict.fromkeys(_names(function.__code__)))
    for name in names:
        value = function.__globals__.get(name)
        if not isinstance(value, types.ModuleType):
            yield value
        elif not _is_foreign(value.__name__):
            yield from (vars(value)[inner] for inner in names if inner in vars(value))


def _names(code: types.CodeType) -> Iterator[str]:
    """The globals and attributes that code names, and the functions that it defines."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
