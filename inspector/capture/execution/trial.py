"""A process of ``--verify``: the same random numbers as in the others, what it gives, how fast.

Such a process either keeps what the first calls give, or compares that with what was kept and then
times warm calls.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import random
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree

from inspector.capture.calls.calling import call_once, wait_for_device
from inspector.capture.calls.outputs import SavedResults, compare, joined, keep, load, saved_results
from inspector.capture.compiled import uncompiled
from inspector.capture.target.call import fresh
from inspector.capture.target.target import Target
from inspector.capture.writer import emit
from inspector.records.trial import Comparison, TrialResult
from inspector.shared.request import Request

_SEED = 0
_MOST_ROUNDS = 100
_LEAST_ROUNDS = 5
_MOST_SECONDS = 2.0


def seed_trial(request: Request) -> None:
    """Seeds every generator that models draw from, in a process of ``--verify`` alone."""
    if request.keep_outputs or request.compare_outputs:
        seed(_SEED)


def seed(number: int) -> None:
    """Seeds every generator that models draw from."""
    random.seed(number)
    torch.manual_seed(number)
    with contextlib.suppress(ImportError):  # torch runs without it
        importlib.import_module("numpy").random.seed(number)


@contextlib.contextmanager
def watched(
    target: Target, request: Request, function: Callable[..., object]
) -> Iterator[Callable[..., object]]:
    """The function to call in place of ``function``; when all calls are made, says what they gave.

    Outside of ``--verify`` that is the function itself.
    """
    if not request.keep_outputs and not request.compare_outputs:
        yield function
        return
    witness = _Witness(target, function)
    yield witness
    kept = witness.kept()
    if request.keep_outputs:
        keep(kept, Path(request.keep_outputs))
        _write(target, request, None, ())
    if request.compare_outputs:
        comparison = compare(kept, load(Path(request.compare_outputs)))
        _write(target, request, comparison, tuple(_rounds(target, request, function)))


class _Witness:
    """Calls a function, and keeps what the first call with each input gives and changes."""

    def __init__(self, target: Target, function: Callable[..., object]) -> None:
        self._target = target
        self._function = function
        self._calls = 0
        self._arguments: list[Any] | None = None
        self._kept: list[SavedResults] = []

    def __call__(self, *args: Any, **kwargs: Any) -> object:
        self._look_behind()
        index = self._calls
        if index == len(self._target.calls):
            return self._function(*args, **kwargs)
        self._calls += 1
        # So that what one input draws does not depend on what was drawn for the one before.
        seed(_SEED + 1 + index)
        # Of a coroutine only the end has a result, and that is the caller's.
        outputs = self._function(*args, **kwargs)
        self._kept.append(saved_results({f"output of input {index + 1}": outputs}))
        self._arguments = _pytree.tree_leaves((args, kwargs))
        return outputs

    def _look_behind(self) -> None:
        """Keeps what the call before changed: its inputs, gradients, and in the end the model.

        At once, for how many calls follow differs from process to process.
        """
        if self._arguments is None:
            return
        index = self._calls
        tensors = [item for item in self._arguments if isinstance(item, torch.Tensor)]
        values: dict[str, object] = {}
        for number, tensor in enumerate(tensors, 1):
            values[f"tensor {number} of input {index}"] = tensor
            values[f"gradient of tensor {number} of input {index}"] = _gradient(tensor)
        if index == len(self._target.calls):
            values |= _state(self._target.function)
        self._kept.append(saved_results(values))
        self._arguments = None

    def kept(self) -> SavedResults:
        """All that was given and changed."""
        self._look_behind()
        return functools.reduce(joined, self._kept, SavedResults({}, {}, ()))


def _gradient(tensor: Any) -> Any:
    return tensor.grad if tensor.is_leaf else None


def _state(function: Callable[..., object]) -> dict[str, object]:
    """The gradients of a model's parameters, and its buffers."""
    module = uncompiled(function)
    if not isinstance(module, torch.nn.Module):
        return {}
    gradients = {f"gradient of {name}": _gradient(p) for name, p in module.named_parameters()}
    return gradients | {f"buffer {name}": buffer for name, buffer in module.named_buffers()}


def _rounds(target: Target, request: Request, function: Callable[..., object]) -> Iterator[int]:
    """Wall times in ns of warm rounds: one call with each input, without copying the inputs."""
    began = time.monotonic()
    for index in range(_MOST_ROUNDS):
        if index >= _LEAST_ROUNDS and time.monotonic() - began > _MOST_SECONDS:
            return
        total_ns = 0
        for call in target.calls:
            copied = fresh(call)
            wait_for_device()
            start_ns = time.perf_counter_ns()
            call_once(copied, request, function)
            wait_for_device()
            total_ns += time.perf_counter_ns() - start_ns
        yield total_ns


def _write(
    target: Target, request: Request, comparison: Comparison | None, rounds: tuple[int, ...]
) -> None:
    emit(
        TrialResult(
            backend="" if target.already_compiled else request.backend,
            warm_call_ns=round(statistics.median(rounds)) if rounds else None,
            least_warm_call_ns=min(rounds, default=None),
            outputs=comparison,
        )
    )
