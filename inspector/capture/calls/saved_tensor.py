"""What a model keeps in tensors and in attributes (a counter, a flag, a list), as it was."""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Iterable
from typing import Any

import torch

_MOST_ON_DEVICE_BYTES = 1 << 20


def size_bytes(tensor: Any) -> int:
    """The size of its elements; 0 where it has none yet (a lazy module's parameter)."""
    try:
        return int(tensor.nbytes)
    except (RuntimeError, ValueError, NotImplementedError):
        return 0


class SavedTensor:
    """One tensor; it is written to only if a call has changed it.

    Without a copy of its value, only that it changed is known.

    Attributes:
        value: Its copy, or None.
    """

    def __init__(self, tensor: Any, *, has_copy: bool) -> None:
        self.tensor = tensor
        self.value: Any = _copied(tensor) if has_copy else None
        self._mark = self._mark_now()
        self._is_silent: bool | None = None
        self._before = self._mark

    def _mark_now(self) -> tuple[int, int] | None:
        """What a change shows in, as a rule: the counter of changes in place, and the address."""
        try:
            return int(self.tensor._version), int(self.tensor.data_ptr())  # noqa: SLF001
        except (RuntimeError, ValueError, NotImplementedError):
            return None  # inference tensors have no counter, some subclasses no address

    @property
    def is_lost(self) -> bool:
        """Whether it was changed, as far as its counter tells, and there is no copy."""
        return self.value is None and self._mark_now() != self._before

    @property
    def has_changed(self) -> bool:
        """Whether `restore` would write to it, or could not."""
        return self.is_lost if self.value is None else self._differs()

    def look_again(self) -> None:
        """Lets the next `restore` find out by its value whether calls change it without a trace."""
        self._is_silent = self._is_silent or None

    def restore(self) -> None:
        """Writes the value back if it has changed."""
        if self.value is None or not self._differs():
            return
        # Inference tensors can be written to in inference mode alone; to leave that mode for others
        # turns gradients on again, so it comes first.
        with torch.inference_mode(mode=self.tensor.is_inference()), torch.no_grad():
            if self.tensor.shape == self.value.shape:
                self.tensor.copy_(self.value)
            else:
                self.tensor.data = self.value.to(self.tensor.device, copy=True)
        self._mark = self._mark_now()

    def _differs(self) -> bool:
        if self._is_silent is None:
            # `parameter.data.mul_(2)` does not count. What does so in the first call will do it
            # again; to compare after every call would empty the processor's caches.
            self._is_silent = self._mark_now() == self._mark and not self._is_same()
        if self._is_silent:
            return True
        return self._mark_now() != self._mark if self._mark else not self._is_same()

    def _is_same(self) -> bool:
        try:
            return bool(torch.equal(self.tensor.detach().to(self.value.device), self.value))
        except (RuntimeError, TypeError, NotImplementedError):
            return False


def _copied(tensor: Any) -> Any:
    """A copy, or None where there is nothing that could be copied.

    Large ones go into the host's memory: that of a device is the model's.
    """
    is_small = size_bytes(tensor) <= _MOST_ON_DEVICE_BYTES
    device = tensor.device if is_small else "cpu"
    try:
        return tensor.detach().to(device, copy=True)
    except (RuntimeError, ValueError, NotImplementedError):
        return None


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
        for item in filter(_differs, self._changing):
            held, name, value, contents = item
            if contents is not None:
                value.clear()
                is_list = isinstance(value, list | collections.deque)
                (value.extend if is_list else value.update)(contents)
            with contextlib.suppress(TypeError):  # a class whose `__dict__` cannot be written to
                held[name] = value


def _differs(item: tuple[dict[str, Any], str, Any, Any]) -> bool:
    held, name, value, contents = item
    now = held.get(name)
    if contents is None:
        return type(now) is not type(value) or bool(now != value)
    return now is not value or not is_same(value, contents)


def is_same(container: Any, before: Any) -> bool:
    """Whether the same objects are in it; tensors cannot be compared."""
    if len(container) != len(before):
        return False
    if isinstance(container, set):
        return bool(container == before)
    if isinstance(container, dict):
        return all(container.get(key, container) is value for key, value in before.items())
    return all(now is value for now, value in zip(container, before, strict=True))
