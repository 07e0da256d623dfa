"""A chain of pointwise operators with a break in its middle."""

import torch


class Model(torch.nn.Module):
    def __init__(self, broken=True) -> None:
        super().__init__()
        self.broken = broken

    def forward(self, x):
        x = torch.relu(x * 0.5 + 1) - x
        if self.broken:
            torch._dynamo.graph_break()
        return x * x + 2 * x


def get_inputs(device="cpu"):
    return (torch.randn(1024, 1024, device=device),)


model = Model()
example_inputs = get_inputs()
