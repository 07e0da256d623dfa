"""A step of training: a classifier with dropout, its loss, and what backward needs of it."""

import torch
from torch import nn
from torch.nn import functional


class Classifier(nn.Module):
    def __init__(self, inputs=512, width=1024, classes=100):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(inputs, width),
            nn.BatchNorm1d(width),
            nn.GELU(),
            nn.Dropout(0.1),
            nn.Linear(width, width),
            nn.GELU(),
            nn.Linear(width, classes),
        )

    def forward(self, x, labels):
        return functional.cross_entropy(self.layers(x), labels, label_smoothing=0.1)


def get_model():
    torch.manual_seed(0)
    return Classifier()


def get_inputs():
    return [torch.randn(256, 512), torch.randint(0, 100, (256,))]
