import torch
from torch import nn

from ..layers import conv_block


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = conv_block(3, 8)

    def forward(self, x):
        return self.body(x).mean((2, 3))


def get_model():
    return Net()


def get_inputs():
    return (torch.randn(1, 3, 16, 16),)
