"""What a call of a model may change, so that every measured call finds the same."""

from __future__ import annotations

import functools
import itertools
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeAlias

import torch

from inspector.capture.calls.reachable import Reachable
from inspector.capture.calls.saved_tensor import Attributes, SavedTensor, is_same, size_bytes

MOST_COPIED_BYTES = 1 << 30


class _Part(Protocol):
    @property
    def has_changed(self) -> bool: ...

    def restore(self) -> None: ...


class State:
    """What a call can reach, as it is now: tensors, buffers, gradients, optimizers, random numbers.

    Values of tensors are copied up to `MOST_COPIED_BYTES`: buffers always, then parameters, then
    all others. What a model changes besides (a global counter, a file) is not known to anybody.

    On request numbers, texts and containers that are attributes are put back, too.
    """

    def __init__(self, function: Callable[..., object], *, with_attributes: bool = False) -> None:
        reached = Reachable(function)
        buffers = [item for module in reached.modules for item in module.buffers(recurse=False)]
        copied = _copied(reached, buffers)
        self._tensors = [SavedTensor(item, has_copy=id(item) in copied) for item in reached.tensors]
        self._optimizers = list(map(_Optimizer, reached.optimizers))
        self._parts: list[_Part] = [
            Attributes([*reached.modules, *reached.objects] if with_attributes else ()),
            *map(_Registered, reached.modules),
            *self._optimizers,
            *self._tensors,
        ]
        self._gradients = [
            (item, None if item.grad is None else item.grad.detach().clone())
            for item in reached.tensors
            if item.is_leaf
        ]
        self._buffers = set(map(id, buffers))
        self._kept = {id(kept.tensor): kept for kept in self._tensors}
        self._of_optimizers = {
            id(value)
            for optimizer in reached.optimizers
            for entry in optimizer.state.values()
            for value in entry.values()
        }
        self._random = _RandomNumbers(reached.generators)
        self._draws: bool | None = None

    @property
    def leaves(self) -> list[Any]:
        """The tensors that can have a gradient."""
        return [tensor for tensor, _ in self._gradients]

    @property
    def copies(self) -> list[Any]:
        """The values that are kept."""
        of_optimizers = (tensor for each in self._optimizers for tensor in each.kept)
        kept = [tensor.value for tensor in (*self._tensors, *of_optimizers)]
        return [value for value in (*kept, *(g for _, g in self._gradients)) if value is not None]

    def look_again(self) -> None:
        """Before a call with another input than before: it may change other buffers.

        Batch norm changes its own without a trace, and another input may be the first to get there.
        Parameters are not looked at again: they are large.
        """
        for kept in self._tensors:
            if id(kept.tensor) in self._buffers:
                kept.look_again()

    def begin_again(self) -> None:
        """As `restore`, but what the first step of an optimizer makes stays, as that step left it.

        The first step is another program, and torch compiles anew for new tensors in each call.
        """
        for optimizer in self._optimizers:
            optimizer.keep_made()
        self._restore()

    def restore(self) -> None:
        """Puts everything back; gradients that were not there are taken away."""
        for optimizer in self._optimizers:
            optimizer.forget_made()
        self._restore()

    def _restore(self) -> None:
        for part in self._parts:
            part.restore()
        self.restore_gradients()
        # Whether a call draws random numbers shows after the first: to ask takes longer than many a
        # model, and empties the processor's caches.
        if self._draws is None:
            self._draws = self._random.have_changed()
        if self._draws:
            self._random.restore()

    def restore_gradients(self) -> None:
        """Puts the gradients back alone; those that were not there are taken away."""
        for tensor, gradient in self._gradients:
            tensor.grad = None if gradient is None else gradient.clone()

    def draws(self) -> bool:
        """Whether calls have drawn random numbers until now: then they are put back from now on."""
        self._draws = self._draws or self._random.have_changed()
        return self._draws

    def has_changed(self) -> bool:
        """Whether a call changed something besides gradients and random numbers."""
        return any(part.has_changed for part in self._parts)

    def value_of(self, tensor: object) -> Any:
        """What a tensor was in the beginning, or None where there is no copy."""
        kept = self._kept.get(id(tensor))
        return None if kept is None else kept.value

    def tensors(self) -> Iterator[tuple[int, Any, Any]]:
        """All tensors but those of optimizers: a number from 1, the tensor, its copy or None."""
        for number, kept in enumerate(self._tensors, 1):
            if id(kept.tensor) not in self._of_optimizers:
                yield number, kept.tensor, kept.value

    def left_changed(self) -> int:
        """How many tensors were changed that are not copied, because they are too large."""
        return sum(tensor.is_lost for tensor in self._tensors)


def _copied(reached: Reachable, buffers: list[Any]) -> set[int]:
    """The tensors that are copied: all of a kind or none of it, so that they fit together."""
    parameters = [item for module in reached.modules for item in module.parameters(recurse=False)]
    found = {id(item): 0 for item in buffers}
    for kind in (parameters, reached.tensors):
        more = found | {id(item): size_bytes(item) for item in kind if id(item) not in found}
        if sum(more.values()) > MOST_COPIED_BYTES:
            break
        found = more
    return set(found)


class _Registered:
    """What is registered in a module under which name, and whether it trains."""

    def __init__(self, module: torch.nn.Module) -> None:
        self._module = module
        self._dicts = [(items, dict(items)) for items in (module._buffers, module._parameters)]  # noqa: SLF001
        self._not_saved = set(module._non_persistent_buffers_set)  # noqa: SLF001
        self._training = module.training

    @property
    def has_changed(self) -> bool:
        return (
            self._module.training != self._training
            or any(not is_same(*pair) for pair in self._dicts)
            or self._module._non_persistent_buffers_set != self._not_saved  # noqa: SLF001
        )

    def restore(self) -> None:
        for items, before in self._dicts:
            _put_back(items, before)
        if self._module._non_persistent_buffers_set != self._not_saved:  # noqa: SLF001
            self._module._non_persistent_buffers_set = set(self._not_saved)  # noqa: SLF001
        if self._module.training != self._training:
            self._module.training = self._training


class _Optimizer:
    """What an optimizer keeps for each parameter, and its settings."""

    def __init__(self, optimizer: Any) -> None:
        self._state = optimizer.state
        self._made: dict[Any, list[SavedTensor]] = {}
        self._copied_bytes = 0
        self._entries = {key: dict(entry) for key, entry in optimizer.state.items()}
        self._groups = [(group, dict(group)) for group in optimizer.param_groups]

    @property
    def has_changed(self) -> bool:
        return (
            self._state.keys() != self._entries.keys()
            or any(not is_same(self._state[key], before) for key, before in self._entries.items())
            or any(not is_same(*pair) for pair in self._groups)
        )

    @property
    def kept(self) -> Iterator[SavedTensor]:
        return itertools.chain.from_iterable(self._made.values())

    def restore(self) -> None:
        for tensor in self.kept:
            tensor.restore()
        for key in [key for key in self._state if key not in self._entries]:
            del self._state[key]
        for key, before in self._entries.items():
            _put_back(self._state[key], before)
        for group, before in self._groups:
            _put_back(group, before)

    def keep_made(self) -> None:
        """Takes in what a step has made for parameters, with the values that it has now."""
        trained = {id(parameter) for group, _ in self._groups for parameter in group["params"]}
        for key in self._state:
            if key in self._entries or id(key) not in trained:
                continue
            entry = self._entries[key] = dict(self._state[key])
            tensors = [value for value in entry.values() if isinstance(value, torch.Tensor)]
            self._copied_bytes += sum(map(size_bytes, tensors))
            has_copy = self._copied_bytes <= MOST_COPIED_BYTES
            self._made[key] = [SavedTensor(tensor, has_copy=has_copy) for tensor in tensors]

    def forget_made(self) -> None:
        """Takes it out again: it is to be taken away."""
        for key in self._made:
            del self._entries[key]
        self._made = {}


def _put_back(items: dict[Any, Any], before: dict[Any, Any]) -> None:
    """Makes a dict hold the same objects again; it is written to only if it does not."""
    if not is_same(items, before):
        items.clear()
        items.update(before)


_State: TypeAlias = tuple[Callable[[], Any], Callable[[Any], object]]
"""Gives the state of a generator, and sets it."""


class _RandomNumbers:
    """The states of all generators that a model draws from by default, and of its own ones."""

    def __init__(self, generators: list[Any]) -> None:
        self._generators = [*_global_states(), *map(_state_of, generators)]
        self._states = [get() for get, _ in self._generators]

    def have_changed(self) -> bool:
        pairs = zip(self._states, self._generators, strict=True)
        return any(_differ(before, get()) for before, (get, _) in pairs)

    def restore(self) -> None:
        for before, (_, put) in zip(self._states, self._generators, strict=True):
            put(before)


def _global_states() -> Iterator[_State]:
    yield random.getstate, random.setstate
    numpy = sys.modules.get("numpy")  # only where the program uses it
    if numpy is not None:
        yield functools.partial(numpy.random.get_state, legacy=False), numpy.random.set_state
    yield torch.get_rng_state, torch.set_rng_state
    used = torch.cuda.is_available() and torch.cuda.is_initialized()
    for device in range(torch.cuda.device_count() if used else 0):
        get, put = torch.cuda.get_rng_state, torch.cuda.set_rng_state
        yield functools.partial(get, device), functools.partial(put, device=device)


def _state_of(generator: Any) -> _State:
    if isinstance(generator, torch.Generator):
        return generator.get_state, generator.set_state
    if isinstance(generator, random.Random):
        return generator.getstate, generator.setstate
    bits = generator.bit_generator
    return lambda: bits.state, functools.partial(setattr, bits, "state")


def _differ(before: Any, after: Any) -> bool:
    if isinstance(before, torch.Tensor):
        return not torch.equal(before, after)
    return repr(before) != repr(after)
