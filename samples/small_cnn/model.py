"""A small convolutional network: three blocks, global pooling, a linear layer."""

import torch
from torch import nn


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
        nn.MaxPool2d(2),
    )


class SmallCNN(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.features = nn.Sequential(block(3, 64), block(64, 128), block(128, 256))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(256, classes)

    def forward(self, x):
        return self.head(self.pool(self.features(x)).flatten(1))


def get_model():
    torch.manual_seed(0)
    return SmallCNN().eval()


def get_inputs():
    return [torch.randn(1, 3, 224, 224)]
