"""What a call of a model may change, so that every measured call finds the same."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import torch

from inspector.capture import versions

__all__ = ["State"]


class State:
    """Buffers, gradients and random numbers as they are now.

    What a model changes besides (a Python counter, a list that grows) is not known to anybody.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        target = versions.original_module(function)
        modules = list(target.modules()) if isinstance(target, torch.nn.Module) else []
        self._buffers = [
            _Buffer(module, name, buffer)
            for module in modules
            for name, buffer in module._buffers.items()  # noqa: SLF001 - the objects themselves
            if buffer is not None
        ]
        parameters = [p for module in modules for p in module.parameters(recurse=False)]
        self._gradients = [
            (parameter, None if parameter.grad is None else parameter.grad.detach().clone())
            for parameter in parameters
        ]
        self._random = _RandomNumbers()
        self._draws: bool | None = None

    def restore(self) -> None:
        """Puts everything back; gradients that were not there are taken away."""
        for buffer in self._buffers:
            buffer.restore()
        for parameter, gradient in self._gradients:
            parameter.grad = None if gradient is None else gradient.clone()
        # Whether a call draws random numbers shows after the first: to ask takes longer than many a
        # model, and empties the processor's caches.
        if self._draws is None:
            self._draws = self._random.have_changed()
        if self._draws:
            self._random.restore()


class _RandomNumbers:
    """The states of all generators that a model draws from by default."""

    def __init__(self) -> None:
        self._states = self._now()

    @staticmethod
    def _now() -> tuple[Any, ...]:
        used = torch.cuda.is_available() and torch.cuda.is_initialized()
        numpy = sys.modules.get("numpy")  # only where the program uses it
        return (
            random.getstate(),
            numpy.random.get_state(legacy=False) if numpy else None,
            torch.get_rng_state(),
            torch.cuda.get_rng_state_all() if used else [],
        )

    def have_changed(self) -> bool:
        python, numpy, cpu, cuda = self._states
        python_now, numpy_now, cpu_now, cuda_now = self._now()
        return (
            python != python_now
            or repr(numpy) != repr(numpy_now)
            or not torch.equal(cpu, cpu_now)
            or any(not torch.equal(*pair) for pair in zip(cuda, cuda_now, strict=True))
        )

    def restore(self) -> None:
        python, numpy, cpu, cuda = self._states
        random.setstate(python)
        if numpy is not None:
            sys.modules["numpy"].random.set_state(numpy)
        torch.set_rng_state(cpu)
        if cuda:
            torch.cuda.set_rng_state_all(cuda)


class _Buffer:
    """One buffer; it is written to only if a call has changed it."""

    def __init__(self, module: torch.nn.Module, name: str, buffer: torch.Tensor) -> None:
        self._module = module
        self._name = name
        self._buffer = buffer
        self._value = buffer.detach().clone()
        self._version = self._version_now()

    def _version_now(self) -> int | None:
        # The counter of changes in place; inference tensors have none.
        return None if self._buffer.is_inference() else int(self._buffer._version)  # noqa: SLF001

    def restore(self) -> None:
        buffers = self._module._buffers  # noqa: SLF001
        if buffers.get(self._name) is not self._buffer:
            buffers[self._name] = self._buffer
        if self._version is None or self._version_now() != self._version:
            with torch.no_grad():
                self._buffer.copy_(self._value)
            self._version = self._version_now()
