"""A backend that fails, and errors suppressed: the function runs eagerly."""

import torch

torch._dynamo.config.suppress_errors = True


def failing(graph, inputs):
    """A backend that does not work."""
    raise RuntimeError("this backend does not work")


@torch.compile(backend=failing)
def model(x):
    """Two operators around a break."""
    y = x + 1
    print("between")
    return y * 2


example_inputs = (torch.ones(4),)
