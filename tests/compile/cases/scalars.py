"""Values that leave the graph: item, tolist, numpy, int and float."""

import numpy as np
import torch
from torch import Tensor, nn


def item(x: Tensor) -> Tensor:
    """A scalar read in the middle of an expression."""
    return x * x.sum().item()


def item_twice(x: Tensor) -> Tensor:
    """Two scalars on two lines."""
    low = x.min().item()
    high = x.max().item()
    return (x - low) / (high - low)


def item_as_shape(x: Tensor) -> Tensor:
    """A scalar that becomes a size."""
    count = int(x.abs().sum().item()) + 1
    return torch.ones(count).sum() + x


def tolist(x: Tensor) -> Tensor:
    """Floating-point values as a list."""
    return x + sum(x.sum(0).tolist())


def tolist_of_integers(x: Tensor) -> Tensor:
    """Integer values as a list."""
    rows, columns = x.argmax(1).tolist()[:2]
    return x + rows - columns


def float_call(x: Tensor) -> Tensor:
    """``float()`` of a tensor."""
    return x * float(x.mean())


def int_as_slice(x: Tensor) -> Tensor:
    """``int()`` of a tensor as the end of a slice."""
    ordered, _ = x.sort()
    return ordered[: int(ordered.abs().max()) + 1]


def numpy_supported(x: Tensor) -> Tensor:
    """NumPy that Dynamo traces: no break."""
    return torch.from_numpy(np.abs(x.numpy())) + x


def numpy_bytes(x: Tensor) -> Tensor:
    """A method of an array that Dynamo does not know."""
    return x + len(x.numpy().tobytes())


def numpy_random(x: Tensor) -> Tensor:
    """NumPy's own random numbers."""
    return x + torch.from_numpy(np.random.default_rng(0).normal(size=(4, 4)))


class Scale(nn.Module):
    """Normalises by a value read from its input."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        """Break between two layers' work."""
        y = self.linear(x)
        peak = y.abs().max().item()
        return torch.relu(y / peak)
