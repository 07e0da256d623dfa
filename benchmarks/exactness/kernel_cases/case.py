"""One case: what is compiled, with which calls, in which passes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

INFERENCE = "inference"
TRAINING = "training"
BOTH = (INFERENCE, TRAINING)


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """What is compiled and called.

    Attributes:
        function: A module or a function, on its device.
        calls: The positional and keyword arguments of each call.
        passes: Which passes make sense for it.
        options: Keyword arguments of ``torch.compile``.
        grad_inputs: Whether the floating point inputs require gradients in the training pass.
    """

    function: Callable[..., Any]
    calls: tuple[tuple[tuple[Any, ...], Mapping[str, Any]], ...]
    passes: tuple[str, ...] = BOTH
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    grad_inputs: bool = True


def case(device: str, function: Callable[..., Any], *inputs: Any, **settings: Any) -> Case:
    """A case of one call."""
    return calls(device, function, [inputs], **settings)


def calls(device: str, function: Any, several: list[tuple[Any, ...]], **settings: Any) -> Case:
    """A case of several calls."""
    if isinstance(function, nn.Module):
        function = function.to(device)
        settings.setdefault("grad_inputs", not list(function.parameters()))
    moved = tuple((tuple(moved_to(device, item) for item in args), {}) for args in several)
    return Case(function, moved, **settings)


def moved_to(device: str, value: Any) -> Any:
    """`value` copied to a device where it is a tensor, with its strides.

    Copied on the CPU too: what is passed twice is two tensors on a GPU.
    """
    return value.to(device, copy=True) if isinstance(value, Tensor) else value


def run(case: Case, pass_: str) -> None:
    """Compiles and calls a case: all its calls, with their backward passes when training."""
    torch.manual_seed(0)
    compiled = torch.compile(case.function, **case.options)
    training = pass_ == TRAINING
    if isinstance(case.function, nn.Module):
        case.function.train(training)
    for args, kwargs in case.calls:
        if not training:
            with torch.no_grad():
                compiled(*args, **kwargs)
            continue
        result = compiled(*_inputs(case, args), **kwargs)
        loss = sum(part.float().sum() for part in _differentiable(result))
        if isinstance(loss, Tensor):
            loss.backward()


def _inputs(case: Case, args: tuple[Any, ...]) -> list[Any]:
    return [
        item.detach().requires_grad_()
        if case.grad_inputs and isinstance(item, Tensor) and item.is_floating_point()
        else item
        for item in args
    ]


def _differentiable(result: Any) -> list[Tensor]:
    if isinstance(result, Tensor):
        return [result] if result.requires_grad else []
    if isinstance(result, Mapping):
        result = result.values()
    if isinstance(result, list | tuple) or hasattr(result, "__iter__"):
        return [tensor for item in result for tensor in _differentiable(item)]
    return []
