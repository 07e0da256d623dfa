import torch
from torch import nn


class MLP(nn.Module):
    def __init__(self, hidden, *, depth):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return x
