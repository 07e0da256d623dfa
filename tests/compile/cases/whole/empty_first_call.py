"""The first call traces no operator; the second would."""

import torch


def model(x, active):
    """Works only when active."""
    if active:
        return x + 1
    return x


example_inputs = [(torch.ones(4), False), (torch.ones(4), True)]
