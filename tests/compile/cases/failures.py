"""Targets that raise, backends that fail, and what fullgraph allows."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import DynamicOutputShapeException


def failing_backend(graph: torch.fx.GraphModule, inputs: list[Tensor]) -> Callable[..., object]:
    """A backend that does not work."""
    raise RuntimeError("this backend does not work")


def plus_one(x: Tensor) -> Tensor:
    """One operator."""
    return x + 1


backend_raises = torch.compile(plus_one, backend=failing_backend)


def gives_up(graph: torch.fx.GraphModule, inputs: list[Tensor]) -> Callable[..., object]:
    """A backend that meets an operator it cannot support: torch falls back, with a warning."""
    raise DynamicOutputShapeException(torch.ops.aten.nonzero.default)


backend_gives_up = torch.compile(plus_one, backend=gives_up)


def skips(graph: torch.fx.GraphModule, inputs: list[Tensor]) -> Callable[..., object]:
    """A backend that asks for the frame to be skipped."""
    raise torch._dynamo.exc.SkipFrame("not worth it")


backend_skips = torch.compile(plus_one, backend=skips)


def print_between(x: Tensor) -> Tensor:
    """A break in the middle."""
    y = x + 1
    print("between")
    return y * 2


fullgraph_fails = torch.compile(print_between, backend="eager", fullgraph=True)


def scalar_output(x: Tensor) -> Tensor:
    """Breaks by default; fullgraph=True allows it."""
    return x * x.sum().item()


fullgraph_passes = torch.compile(scalar_output, backend="eager", fullgraph=True)


def own_exception(x: Tensor) -> Tensor:
    """The model raises before it works."""
    raise ValueError("not this input")


def own_exception_after_work(x: Tensor) -> Tensor:
    """The model raises after some operators."""
    y = x + 1
    if y.shape[0] == 4:
        raise ValueError("not this input")
    return y


def wrong_shape(x: Tensor) -> Tensor:
    """Matrices that do not fit."""
    return x @ torch.ones(7, 7)


def wrong_shape_after_break(x: Tensor) -> Tensor:
    """A break, then matrices that do not fit."""
    y = x + 1
    print("before")
    return y @ torch.ones(7, 7)


def exits(x: Tensor) -> Tensor:
    """Ends the program."""
    y = x + 1
    raise SystemExit(3)


def after_break_backend(graph: torch.fx.GraphModule, inputs: list[Tensor]) -> Callable[..., object]:
    """The same backend, met after a break."""
    raise DynamicOutputShapeException(torch.ops.aten.nonzero.default)


backend_gives_up_after_break = torch.compile(print_between, backend=after_break_backend)


def endless_recursion(x: Tensor) -> Tensor:
    """Never ends."""
    return endless_recursion(x + 1)
