import torch

model = torch.nn.Linear(4, 4)


def get_inputs(batch):
    return (torch.ones(batch, 4),)
