"""torch's experimental nested graph breaks: another count for the same code."""

import torch

torch._dynamo.config.nested_graph_breaks = True


def inner(x):
    """Break in an inlined function."""
    x = x + 1
    print("inner")
    return x * 2


def middle(x):
    """One level above."""
    return inner(x) + 3


def model(x):
    """Two levels above."""
    return middle(x) * 2


example_inputs = (torch.ones(4, 4),)
