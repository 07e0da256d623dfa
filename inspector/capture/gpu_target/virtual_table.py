"""Replaces virtual functions of an object in torch's C++ by others, and puts them back.

Which entry of a virtual table is which function is read from the headers that torch's wheels bring
(``torch/include``): the order of declaration, where a virtual destructor takes two entries (the
Itanium C++ ABI, 2.5 Virtual Table Layout).
"""

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from inspector.errors import EnvironmentLacksError

ANSWER = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)
"""A function that returns a truth value; arguments after the object are ignored."""
EFFECT = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
"""A function that returns nothing."""


def address_of(function: Any) -> int:
    """Where a function begins."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


_WORD = ctypes.sizeof(ctypes.c_void_p)
# What a table begins with, before the place that objects point at: an offset and the type.
_BEFORE = 2
# More than any of the classes has; what lies behind a table is copied with it and never used.
_LENGTH = 64
_VIRTUAL = re.compile(r"virtual\s+[^;{(]*?(~?\w+)\(")


def library(name: str) -> ctypes.CDLL:
    """One of torch's libraries, which are loaded already.

    Raises:
        EnvironmentLacksError: This is not Linux.
    """
    path = Path(torch.__file__).parent / "lib" / f"lib{name}.so"
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise _lacks(f"{path.name} cannot be loaded ({error})") from error


@functools.cache
def entries(header: str, name: str) -> Mapping[str, int]:
    """The places of a class's virtual functions in its table; `header` is below torch/include.

    Raises:
        EnvironmentLacksError: There is no such file or class.
    """
    path = Path(torch.__file__).parent / "include" / header
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    found = re.search(rf"struct \w+\s+{name}\s*{{(.*?)\n}};", text, re.DOTALL)
    if found is None:
        raise _lacks(f"include/{header} declares no {name}")
    places: dict[str, int] = {}
    place = 0
    for function in _VIRTUAL.findall(found[1]):
        places[function] = place
        place += 2 if function.startswith("~") else 1
    return places


@functools.cache  # kept for good: another thread may be in the middle of a call of an entry
def table_with(original: int, functions: frozenset[tuple[int, int]]) -> tuple[Any, int]:
    """A copy of a virtual table in which some functions are others, by their places.

    Given is the address that an object of the class points at; with the copy comes that in it.
    """
    raw = ctypes.string_at(original - _BEFORE * _WORD, (_BEFORE + _LENGTH) * _WORD)
    table = (ctypes.c_void_p * (_BEFORE + _LENGTH)).from_buffer_copy(raw)
    for place, address in functions:
        table[_BEFORE + place] = address
    return table, ctypes.addressof(table) + _BEFORE * _WORD


@contextmanager
def replaced_functions(instance: int, functions: Mapping[int, int]) -> Iterator[None]:
    """The object at an address has other virtual functions inside of the ``with``."""
    pointer = ctypes.c_void_p.from_address(instance)
    original = pointer.value or 0
    _, pointer.value = table_with(original, frozenset(functions.items()))
    try:
        yield
    finally:
        pointer.value = original


def _lacks(what: str) -> EnvironmentLacksError:
    return EnvironmentLacksError(
        f"Capturing for a GPU that is not here does not work with torch {torch.__version__}: "
        f"{what}.",
        "Use torch 2.11 to 2.13 on Linux, as installed by pip.",
    )
