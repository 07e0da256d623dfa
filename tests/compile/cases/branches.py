"""Control flow that depends on a tensor's values."""

import torch
from torch import Tensor, nn


def if_else(x: Tensor) -> Tensor:
    """A branch in the middle: no restart of the compilation."""
    if x.sum() > 0:
        return x + 1
    return x - 1


def if_twice(x: Tensor) -> Tensor:
    """The second branch is met in the first one's resumed frame."""
    y = x.abs() + 1
    if y.sum() > 0:
        y = y + 1
    if y.mean() > 0:
        y = y + 2
    return y


def ternary(x: Tensor) -> Tensor:
    """A conditional expression."""
    scale = 2.0 if x.abs().max() > 0 else 0.5
    return x * scale


def while_loop(x: Tensor) -> Tensor:
    """A loop whose end depends on values."""
    y = x.abs()
    while y.sum() < 100:
        y = y + 10
    return y


def for_with_branch(x: Tensor) -> Tensor:
    """A branch in a loop: the frame is given up."""
    y = x.abs() + 1
    for scale in range(3):
        if y.sum() > 0:
            y = y + scale
    return y


def assert_values(x: Tensor) -> Tensor:
    """An assertion with a constant message is traced: no break."""
    assert x.abs().sum() >= 0, "negative"
    return x + 1


def python_branch(x: Tensor, flag: bool = True) -> Tensor:
    """A branch on a Python value: no break."""
    return x + 1 if flag else x - 1


class Gate(nn.Module):
    """Skips its second layer when the first is quiet."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        """Branch on an activation."""
        y = torch.relu(self.first(x))
        if y.abs().sum() >= 0:
            y = self.second(y)
        return y * 2
