"""Attention whose mask is only applied where it masks anything."""

import torch
from torch.nn import functional as F


class Model(torch.nn.Module):
    def __init__(self, broken=True) -> None:
        super().__init__()
        self.broken = broken
        self.qkv = torch.nn.Linear(128, 384)
        self.out = torch.nn.Linear(128, 128)

    def forward(self, x, mask):
        q, k, v = self.qkv(x).view(*x.shape[:2], 3, 4, 32).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) * 32**-0.5
        bias = (1.0 - mask.to(scores.dtype))[:, None, None, :] * -1e4
        if self.broken:
            if not mask.all():
                scores = scores + bias
        else:
            scores = scores + bias
        x = (F.softmax(scores, -1) @ v).transpose(1, 2).reshape(x.shape)
        return self.out(x)


def get_inputs(device="cpu"):
    mask = torch.ones(1, 16, dtype=torch.bool, device=device)
    mask[:, 12:] = False
    return (torch.randn(1, 16, 128, device=device), mask)


model = Model().eval().requires_grad_(False)
example_inputs = get_inputs()
