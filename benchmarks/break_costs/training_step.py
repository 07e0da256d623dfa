"""A training step with a break between two layers: forward and backward are cut in two."""

import torch


class Model(torch.nn.Module):
    def __init__(self, broken=True) -> None:
        super().__init__()
        self.broken = broken
        self.first = torch.nn.Linear(128, 128)
        self.second = torch.nn.Linear(128, 128)

    def forward(self, x):
        x = torch.nn.functional.gelu(self.first(x))
        if self.broken:
            torch._dynamo.graph_break()
        return torch.tanh(self.second(x))


def get_inputs(device="cpu"):
    return (torch.randn(64, 128, device=device),)


model = Model()
example_inputs = get_inputs()
