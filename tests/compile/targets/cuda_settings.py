"""The device comes from elsewhere, as from a configuration file."""

import json

import torch
from torch import nn

settings = json.loads('{"device": "\\u0063uda"}')
model = nn.Linear(4, 4).to(settings["device"])


def get_inputs():
    return (torch.randn(2, 4, device=settings["device"]),)
