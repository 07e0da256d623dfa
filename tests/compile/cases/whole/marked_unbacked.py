"""A size marked unbacked that the model branches on."""

import torch
from torch._dynamo.decorators import mark_unbacked


def model(x):
    """Asks for the size."""
    y = x + 1
    if x.shape[0] > 3:
        return y * 2
    return y


X = torch.ones(4, 4)
mark_unbacked(X, 0)
example_inputs = (X,)
