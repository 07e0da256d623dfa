import torch
from torch import nn

model = nn.Bilinear(4, 4, 2)
example_inputs = (torch.randn(2, 4),)
