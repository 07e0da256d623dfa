import torch
from torch import nn

model = torch.compile(nn.Sequential(nn.Linear(4, 4), nn.ReLU()), backend="eager")
example_inputs = (torch.randn(2, 4),)
