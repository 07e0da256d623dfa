"""A loop with a break in its body: Dynamo gives the function up."""

import torch


class Model(torch.nn.Module):
    def __init__(self, broken=True) -> None:
        super().__init__()
        self.broken = broken

    def forward(self, x):
        for step in range(4):
            x = torch.relu(x * 0.5 + step) - x.clamp(0, 4) * 0.25 + 0.1
            if self.broken:
                torch._dynamo.graph_break()
        return x


def get_inputs(device="cpu"):
    return (torch.randn(512, 512, device=device),)


model = Model()
example_inputs = get_inputs()
