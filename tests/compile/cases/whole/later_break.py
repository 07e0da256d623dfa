"""Only the second call reaches the line that breaks."""

import torch


def model(x, verbose):
    """Print when asked to."""
    y = x + 1
    if verbose:
        print("verbose")
    return y * 2


example_inputs = [(torch.ones(4), False), (torch.ones(4), True)]
