"""torch's verbose mode: the payload of a break is laid out differently."""

import torch

torch._dynamo.config.verbose = True


def helper(x):
    """Break here."""
    x = x + 1
    print("verbose")
    return x * 2


def model(x):
    """Inline the helper."""
    return helper(x) - 1


example_inputs = (torch.ones(4, 4),)
