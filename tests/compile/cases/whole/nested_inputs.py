"""Tensors inside a dictionary and a list."""

import torch


def model(batch):
    """Branch on one of them."""
    total = batch["image"].sum() + batch["boxes"][0].sum()
    if total > 0:
        return total * 2
    return total


example_inputs = ({"image": torch.ones(3, 4), "boxes": [torch.ones(4)]},)
