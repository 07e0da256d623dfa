"""Only one child of the model is compiled, by the file itself."""

import torch
from torch import nn


class Child(nn.Module):
    """Breaks."""

    def forward(self, x):
        """Print in the middle."""
        y = x + 1
        print("child")
        return y * 2


class Parent(nn.Module):
    """Calls a compiled child."""

    def __init__(self):
        super().__init__()
        self.child = torch.compile(Child(), backend="eager")

    def forward(self, x):
        """Work around it."""
        return self.child(x * 2) + 1


model = Parent()
example_inputs = (torch.ones(4, 4),)
