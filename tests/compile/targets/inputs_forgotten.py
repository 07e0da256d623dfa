import torch

model = torch.nn.Linear(4, 4)


def get_inputs():
    torch.ones(2, 4)
