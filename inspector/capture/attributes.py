"""What a model keeps in Python attributes, as it was: a counter, a flag, a list that grows."""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Callable, Iterable
from typing import Any

import torch

_PLAIN = (bool, int, float, str)
_CONTAINERS = (collections.deque, dict, list, set)
_OF_TORCH = frozenset(vars(torch.nn.Module()))


class Attributes:
    """The plain values and the containers that some objects hold.

    What is None is left out: what a first call puts into its place (a table, say) is made once.
    """

    def __init__(self, owners: Iterable[object]) -> None:
        self._owned = [
            (held, name, value, value.copy() if type(value) in _CONTAINERS else None)
            for owner in owners
            for held in (getattr(owner, "__dict__", {}),)
            for name, value in held.items()
            if name not in _OF_TORCH and type(value) in (*_PLAIN, *_CONTAINERS)
        ]
        self._changing: list[tuple[dict[str, Any], str, Any, Any]] | None = None

    @property
    def has_changed(self) -> bool:
        """Whether one of them differs now."""
        return any(map(_differs, self._owned))

    def restore(self) -> None:
        """Puts back what differs; what did not at first is not looked at again.

        To compare them all after every call would empty the processor's caches.
        """
        if self._changing is None:
            self._changing = [item for item in self._owned if _differs(item)]
        for item in self._changing:
            if _differs(item):
                _put_back(*item)


def _differs(item: tuple[dict[str, Any], str, Any, Any]) -> bool:
    held, name, value, contents = item
    now = held.get(name)
    if contents is None:
        return type(now) is not type(value) or bool(now != value)
    return now is not value or not is_same(value, contents)


def is_same(container: Any, before: Any) -> bool:  # noqa: ANN401 - one of four
    """Whether the same objects are in it; tensors cannot be compared."""
    if len(container) != len(before):
        return False
    if isinstance(container, set):
        return bool(container == before)
    if isinstance(container, dict):
        return all(container.get(key, container) is value for key, value in before.items())
    return all(now is value for now, value in zip(container, before, strict=True))


def _put_back(held: dict[str, Any], name: str, value: Any, contents: Any) -> None:  # noqa: ANN401
    if contents is not None:
        fill: Callable[[Any], object]
        fill = value.extend if isinstance(value, list | collections.deque) else value.update
        value.clear()
        fill(contents)
    with contextlib.suppress(TypeError):  # a class whose `__dict__` cannot be written to
        held[name] = value
