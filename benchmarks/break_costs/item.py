"""A scale that becomes a Python number on its way."""

import torch


class Model(torch.nn.Module):
    def __init__(self, broken=True) -> None:
        super().__init__()
        self.broken = broken

    def forward(self, x):
        x = torch.relu(x) + 0.1
        scale = x.mean()
        if self.broken:
            scale = scale.item()
        return torch.relu(x / scale) * x


def get_inputs(device="cpu"):
    return (torch.randn(64, 256, device=device),)


model = Model()
example_inputs = get_inputs()
