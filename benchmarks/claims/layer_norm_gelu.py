"""LayerNorm, then GELU, of what does not fit into an L2 cache: 128 MiB."""

import torch
from torch import nn


def get_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.LayerNorm(1024), nn.GELU())


def get_inputs():
    return [torch.randn(64, 512, 1024)]
