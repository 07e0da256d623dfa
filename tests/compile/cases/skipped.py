"""Functions that give no graph: nothing to capture, or nothing that Dynamo sees."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class Box:
    """A tensor in a dataclass."""

    value: Tensor


BOX = Box(torch.ones(3))
WEIGHT = torch.ones(3)


def no_operators(x: Tensor) -> Tensor:
    """Returns its argument."""
    return x


def no_operators_but_print(x: Tensor) -> Tensor:
    """A break, and still no graph."""
    print("nothing else")
    return x


def only_shapes(x: Tensor) -> int:
    """Reads the shape alone."""
    return x.shape[0] * x.shape[1]


def only_numbers(n: int) -> int:
    """No tensor at all: compiled, and nothing captured."""
    return n * 2


def generator(x: Tensor) -> Iterator[Tensor]:
    """A generator function is never compiled."""
    yield x + 1
    yield x + 2


async def coroutine(x: Tensor) -> Tensor:
    """A call only makes the coroutine; nothing runs."""
    return x + 1


async def coroutine_with_print(x: Tensor) -> Tensor:
    """Awaited by ``drives_coroutine``."""
    y = x + 1
    print("async")
    return y * 2


def drives_coroutine(x: Tensor) -> Tensor:
    """Runs a coroutine to its end; after the break torch fails to resume it and raises."""
    try:
        coroutine_with_print(x).send(None)
    except StopIteration as stop:
        return stop.value
    raise RuntimeError("the coroutine did not end")


def silent_dataclass(x: Tensor) -> Tensor:
    """The loop gives this frame up; then ``boxed`` is skipped without an event."""
    for _ in range(2):
        print("loop")
        x = boxed(Box(x))
    return x


def boxed(box: Box) -> Tensor:
    """Dynamo looks for tensors in its arguments, and not into a dataclass."""
    return box.value + 1


def silent_global(x: Tensor) -> Tensor:
    """The loop gives this frame up; then ``weight`` is skipped without an event."""
    for _ in range(2):
        print("loop")
        x = x * weight(2)
    return x


def weight(scale: int) -> float:
    """No tensor among its arguments, and torch is not named."""
    return (WEIGHT * scale).sum()


def seen_by_name(x: Tensor) -> Tensor:
    """The loop gives this frame up; ``ones`` is compiled because it names torch."""
    for _ in range(2):
        print("loop")
        x = x * ones(4)
    return x


def ones(size: int) -> Tensor:
    """No tensor among its arguments, but torch is named."""
    return torch.ones(size) * 2


def global_tensor() -> Tensor:
    """The only tensor is a global one; the compiled function itself is always traced."""
    return WEIGHT + 1


def tensor_in_dataclass(box: Box = BOX) -> Tensor:
    """The only tensor is inside a dataclass: traced, too, when it is the target."""
    return box.value + 1


def tensor_in_global_dataclass() -> Tensor:
    """The only tensor is inside a global dataclass, and it breaks."""
    print("global")
    return BOX.value + 1


def makes_tensor(n: int) -> Tensor:
    """No tensor comes in, one goes out."""
    return torch.ones(n) + 1


class NoTensorArgument(nn.Module):
    """A module called without tensors; its parameters are tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, scale: int = 2) -> Tensor:
        """Scale the weight."""
        return self.weight * scale


@torch.compiler.disable
def disabled(x: Tensor) -> Tensor:
    """The target itself is disabled."""
    return x + 1


def empty_break_chain(x: Tensor) -> Tensor:
    """Two breaks, no operator."""
    print("one")
    print("two")
    return x
