"""``Module.compile`` changes the module in place."""

import torch
from torch import nn


class Net(nn.Module):
    """Breaks in the middle."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        """Print after the layer."""
        y = self.layer(x)
        print("layer")
        return y * 2


model = Net()
model.compile(backend="eager")
example_inputs = (torch.ones(4, 4),)
