"""The frame with the break compiles again for another dtype: the break is met twice."""

import torch


def model(x):
    """Print in the middle."""
    y = x + 1
    print("again")
    return y * 2


example_inputs = [(torch.ones(4),), (torch.ones(4, dtype=torch.float64),)]
