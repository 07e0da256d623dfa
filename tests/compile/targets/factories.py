import torch
from torch import nn

torch.set_grad_enabled(False)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x, scale=1.0):
        return x + scale * self.fc(x)


def get_model():
    return nn.Sequential(Block(8), Block(8))


def get_inputs():
    return [(torch.randn(2, 8),), (torch.randn(4, 8),), (torch.randn(6, 8),)]
