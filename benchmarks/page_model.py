"""A model of about 10,000 operators in 500 different kernels, for `benchmarks/page.py`."""

from __future__ import annotations

import torch
from torch import nn

_BLOCKS = 500


class Block(nn.Module):
    """A pointwise chain of its own, and a product that ends it."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number
        self.linear = nn.Linear(64, 64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The chain depends on the number, so that no two kernels are the same."""
        y = self.linear(x)
        for bit in range(9):
            y = torch.sin(y) if self.number >> bit & 1 else torch.cos(y)
            y = y * (1 + bit / 16)
        return y + x


model = nn.Sequential(*(Block(number) for number in range(_BLOCKS)))


def get_inputs() -> tuple[torch.Tensor]:
    """A small batch: what counts is the number of operators."""
    return (torch.ones(8, 64),)
