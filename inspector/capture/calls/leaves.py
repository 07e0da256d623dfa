"""The tensors, numbers and texts in a value, each with its place.

Containers are taken apart as torch does that (`torch.utils._pytree`). Of an object that torch has
nothing to say about (a cache of keys and values, say) the tensors in its attributes are its parts:
what else it keeps is its own business.
"""

from __future__ import annotations

import enum
import sys
import types
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils import _pytree

from inspector.capture.guards.instances import own_attributes

PLAIN = (bool, int, float, complex, str, bytes, type(None))
"""Values that are told by spelling them out."""
_SPELLED = (
    torch.dtype, torch.device, torch.layout, torch.memory_format, torch.Size, range, slice,
    enum.Enum, type,
)  # fmt: skip
# What computes, or belongs to the interpreter, is no result.
_CLOSED = (torch.nn.Module, type, types.ModuleType, types.FunctionType, types.MethodType)
_MOST_STEPS = 6
_MOST_LEAVES = 10_000
_MOST_OBJECTS = 20_000  # an output may hold on to a whole data set


def leaves_of(name: str, value: object) -> Iterator[tuple[str, object]]:
    """What a value is made of.

    Yields:
        The place of each part (``NAME[0]['logits'].keys``), and it: a tensor, a value of `PLAIN`,
        or what cannot be taken apart any further.
    """
    for number, leaf in enumerate(_taken_apart(name, value)):
        if number == _MOST_LEAVES:
            yield f"{name}, and more", object()
            return
        yield leaf


def _taken_apart(name: str, value: object) -> Iterator[tuple[str, object]]:
    for place, leaf in _in_containers(name, value):
        known = _known(leaf)
        if isinstance(known, (torch.Tensor, *PLAIN)):
            yield place, known
            continue
        try:
            tensors = list(_tensors_inside(place, leaf, {id(leaf)}, 0))
        except Exception:  # noqa: BLE001 - the user's own attributes
            tensors = []
        yield from tensors or [(place, leaf)]


def _in_containers(name: str, value: object) -> list[tuple[str, object]]:
    try:
        paths, _ = _pytree.tree_flatten_with_path(value)
        return [(name + "".join(map(_key, path)), leaf) for path, leaf in paths]
    except Exception:  # noqa: BLE001 - a container that does not tell its keys, or has itself inside
        try:
            leaves = _pytree.tree_leaves(value)
        except Exception:  # noqa: BLE001 - has itself inside, or is the user's own
            return [(name, object())]
        return [(f"{name}[{index}]", leaf) for index, leaf in enumerate(leaves)]


def _key(entry: Any) -> str:
    """``[0]``, ``['logits']``, ``.x``; of a key that is an object, that it is one."""
    key = getattr(entry, "key", None)
    if key is not None and not isinstance(key, (*PLAIN, enum.Enum)):
        return f"[{type(key).__name__}]"
    return str(entry)


def _known(leaf: object) -> object:
    """A tensor or a value of `PLAIN` that says the same, where there is one."""
    numpy = sys.modules.get("numpy")  # only where the program uses it
    if numpy is not None and type(leaf).__module__ == "numpy":
        try:
            return torch.tensor(leaf)
        except (TypeError, ValueError, RuntimeError):  # texts, objects
            return leaf
    if isinstance(leaf, _SPELLED):
        return repr(leaf)
    if type(leaf) in {set, frozenset}:
        items: Any = leaf
        return repr(sorted(map(repr, items))) if all(type(i) in PLAIN for i in items) else leaf
    return leaf


def _tensors_inside(
    place: str, leaf: object, seen: set[int], steps: int
) -> Iterator[tuple[str, object]]:
    if steps == _MOST_STEPS or isinstance(leaf, _CLOSED) or len(seen) > _MOST_OBJECTS:
        return
    for name, value in _inside(leaf).items():
        for inner, part in _in_containers(f"{place}{name}", value):
            if id(part) in seen or isinstance(part, PLAIN):
                continue
            seen.add(id(part))
            if isinstance(part, torch.Tensor):
                yield inner, part
            else:
                yield from _tensors_inside(inner, part, seen, steps + 1)


def _inside(leaf: object) -> dict[str, Any]:
    """What an object holds itself, by what is behind its name: a property could compute anything.

    Nothing is asked of the object but what every object has.
    """
    found: dict[str, Any] = {}
    if isinstance(leaf, dict):  # one of a kind that torch does not take apart
        found |= {f"[{key!r}]": value for key, value in leaf.items() if isinstance(key, PLAIN)}
    elif isinstance(leaf, (list, tuple)):
        found |= {f"[{index}]": value for index, value in enumerate(leaf)}
    for kind in type(leaf).__mro__:
        for slot, member in vars(kind).items():
            if isinstance(member, types.MemberDescriptorType):
                try:
                    found[f".{slot}"] = member.__get__(leaf)
                except AttributeError:  # nothing is in it
                    continue
    return {**found, **{f".{name}": value for name, value in own_attributes(leaf).items()}}
