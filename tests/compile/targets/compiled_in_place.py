import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x):
        return self.inner(x)


model = Net()
model.inner.compile(backend="eager")
example_inputs = (torch.randn(2, 4),)
