"""ResNet-50 in training, with its loss: 32 images."""

import importlib.util
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

FILE = Path(__file__).resolve().parents[2] / "samples" / "resnet50" / "model.py"


class Training(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, images, labels):
        return functional.cross_entropy(self.network(images), labels)


def get_model():
    spec = importlib.util.spec_from_file_location("resnet50", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.manual_seed(0)
    return Training(module.ResNet50()).train()


def get_inputs():
    return [torch.randn(32, 3, 224, 224), torch.randint(0, 1000, (32,))]
