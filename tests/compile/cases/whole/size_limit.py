"""A size in each call, with dynamic shapes turned off: the limit is met."""

import torch


@torch.compile(backend="eager", dynamic=False)
def model(x):
    """One operator."""
    return x * 2


example_inputs = [(torch.ones(rows),) for rows in range(2, 14)]
