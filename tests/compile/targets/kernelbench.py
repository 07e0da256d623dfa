import torch
import torch.nn as nn


class Helper(nn.Module):
    def forward(self, x):
        return torch.tanh(x)


class Model(nn.Module):
    """Simple model that performs a matrix multiplication, a bias add and an activation."""

    def __init__(self, in_features, out_features, scale):
        super(Model, self).__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.act = Helper()
        self.scale = scale

    def forward(self, x):
        return self.act(self.gemm(x)) * self.scale


batch_size = 16
in_features = 32
out_features = 64
scale = 2.0


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, scale]
