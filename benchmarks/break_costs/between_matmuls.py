"""Two linear layers with a break between them: nothing there could have been fused."""

import torch


class Model(torch.nn.Module):
    def __init__(self, broken=True) -> None:
        super().__init__()
        self.broken = broken
        self.first = torch.nn.Linear(128, 128)
        self.second = torch.nn.Linear(128, 128)

    def forward(self, x):
        x = self.first(x)
        if self.broken:
            torch._dynamo.graph_break()
        return self.second(x)


def get_inputs(device="cpu"):
    return (torch.randn(16, 128, device=device),)


model = Model().eval().requires_grad_(False)
example_inputs = get_inputs()
