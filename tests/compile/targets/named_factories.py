import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        return self.fc(x)

    def features(self, x):
        return self.fc(x).relu()


def tiny(width=8):
    return Tower(width)


def build_wide(width=32):
    return Tower(width)


def normalise(x, eps=1e-5):
    return (x - x.mean()) / (x.std() + eps)


shared = Tower()
settings = {"width": 8}
