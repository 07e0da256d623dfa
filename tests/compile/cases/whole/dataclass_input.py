"""The only tensor comes in a dataclass: Dynamo skips the function silently."""

from dataclasses import dataclass

import torch


@dataclass
class Batch:
    """What a loader gives."""

    x: torch.Tensor


def model(batch):
    """Never compiled."""
    y = batch.x + 1
    print("not seen")
    return y * 2


example_inputs = (Batch(torch.ones(4)),)
