"""More strings than the recompile limit allows, one in each call."""

import torch


def model(x, mode):
    """Depends on the string."""
    return x + len(mode)


example_inputs = [(torch.ones(4), "a" * length) for length in range(12)]
