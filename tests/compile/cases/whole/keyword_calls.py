"""Two calls, each a dict of keyword arguments."""

import torch
from torch import nn


class Net(nn.Module):
    """Takes keyword arguments alone."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, *, x, scale=1):
        """Read a value in between."""
        y = self.layer(x)
        return y * scale + y.sum().item()


model = Net()
example_inputs = [{"x": torch.ones(2, 4)}, {"x": torch.ones(2, 4), "scale": 3}]
