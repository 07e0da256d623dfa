"""A file with the name of a module of Python."""

import torch

model = torch.nn.Dropout()
example_inputs = torch.ones(3)
