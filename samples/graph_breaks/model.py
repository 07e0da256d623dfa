"""A small classifier that breaks its graph in the ways that people meet most."""

import logging

import torch
from torch import nn

log = logging.getLogger(__name__)


class Gate(nn.Module):
    """Scales its input, and prints how much: a break in a module that others call."""

    def __init__(self, width):
        super().__init__()
        self.scale = nn.Linear(width, 1)

    def forward(self, x):
        gate = torch.sigmoid(self.scale(x))
        print("gate", gate.shape)
        return x * gate


class Classifier(nn.Module):
    def __init__(self, width=64, classes=10):
        super().__init__()
        self.embed = nn.Linear(32, width)
        self.gate = Gate(width)
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(3))
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = torch.relu(self.embed(x))
        x = self.gate(x)

        if x.abs().max() > 10:
            x = x.clamp(-10, 10)

        for block in self.blocks:
            x = x + torch.relu(block(x))

        temperature = x.std().item()
        x = x / max(temperature, 1e-3)

        log.warning("normalised")
        return self.count(self.head(x))

    def count(self, logits):
        winners = torch.unique(logits.argmax(-1))
        return torch.softmax(logits, dim=-1), winners


torch.manual_seed(0)
model = Classifier().eval()
example_inputs = (torch.randn(8, 32),)
