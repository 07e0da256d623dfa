"""Values that leave the graph: item, tolist, numpy, int and float."""

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


def tolist_of_integers(x: Tensor) -> Tensor:
    """Integer values as a list."""
    rows, columns = x.argmax(1).tolist()[:2]
    return x + rows - columns


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
