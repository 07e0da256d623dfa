"""The tensors, numbers and texts in a value, each with its place.

Containers are taken apart as torch does that (`torch.utils._pytree`), and objects that torch has
nothing to say about (a cache of keys and values, say) by their attributes.
"""

from __future__ import annotations

import enum
import sys
import types
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils import _pytree

__all__ = ["PLAIN", "leaves_of"]

PLAIN = (bool, int, float, complex, str, bytes, type(None))
"""Values that are told by spelling them out."""
_SPELLED = (torch.dtype, torch.device, torch.layout, torch.memory_format, range, slice, enum.Enum)
# What computes, or belongs to the interpreter, is no result.
_CLOSED = (torch.nn.Module, type, types.ModuleType, types.FunctionType, types.MethodType)
_MOST_STEPS = 6
_MOST_LEAVES = 10_000


def leaves_of(name: str, value: object) -> Iterator[tuple[str, object]]:
    """What a value is made of.

    Args:
        name: What the value is called.
        value: It.

    Yields:
        The place of each part (``NAME[0]['logits'].keys``), and it: a tensor, a value of `PLAIN`,
        or what cannot be taken apart any further.
    """
    for number, leaf in enumerate(_taken_apart(name, value, frozenset())):
        if number == _MOST_LEAVES:
            return
        yield leaf


def _taken_apart(name: str, value: object, above: frozenset[int]) -> Iterator[tuple[str, object]]:
    for place, leaf in _in_containers(name, value):
        known = _known(leaf)
        if isinstance(known, (torch.Tensor, *PLAIN)):
            yield place, known
            continue
        inside = _attributes(leaf)
        if inside is None or id(leaf) in above or len(above) == _MOST_STEPS:
            yield place, leaf
            continue
        for attribute, inner in inside.items():
            yield from _taken_apart(f"{place}.{attribute}", inner, above | {id(leaf)})


def _in_containers(name: str, value: object) -> Iterator[tuple[str, object]]:
    try:
        paths, _ = _pytree.tree_flatten_with_path(value)
    except Exception:  # noqa: BLE001 - a container that does not tell its keys; or the user's own
        leaves = _pytree.tree_leaves(value)
        yield from ((f"{name}[{index}]", leaf) for index, leaf in enumerate(leaves))
        return
    for path, leaf in paths:
        yield name + _pytree.keystr(path), leaf


def _known(leaf: object) -> object:
    """A tensor or a value of `PLAIN` that says the same, where there is one."""
    numpy = sys.modules.get("numpy")  # only where the program uses it
    if numpy is not None and isinstance(leaf, numpy.ndarray | numpy.generic):
        try:
            return torch.tensor(leaf)
        except (TypeError, ValueError, RuntimeError):  # texts, objects
            return repr(leaf)
    if isinstance(leaf, _SPELLED):
        return repr(leaf)
    if isinstance(leaf, (set, frozenset)) and all(isinstance(item, PLAIN) for item in leaf):
        return repr(sorted(map(repr, leaf)))
    return leaf


def _attributes(leaf: object) -> dict[str, Any] | None:
    """The attributes that an object holds itself, or None: a property could compute anything."""
    if isinstance(leaf, _CLOSED) or callable(leaf):
        return None
    slots = [slot for kind in type(leaf).__mro__ for slot in _slots(kind)]
    found = {slot: getattr(leaf, slot) for slot in slots if hasattr(leaf, slot)}
    own = getattr(leaf, "__dict__", None)
    return {**found, **own} if isinstance(own, dict) else (found if slots else None)


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if not name.startswith("__"))
