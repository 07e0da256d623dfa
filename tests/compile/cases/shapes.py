"""Operators whose output shape depends on values."""

import torch
from torch import Tensor


def nonzero(x: Tensor) -> Tensor:
    """The break comes before the first operator."""
    return x.nonzero() + 1


def boolean_mask(x: Tensor) -> Tensor:
    """Indexing with a mask."""
    return x[x > 0] * 2


def mask_assignment(x: Tensor) -> Tensor:
    """Assigning through a mask keeps the shape: no break."""
    y = x.clone()
    y[y > 0] = 0
    return y


def mask_twice(x: Tensor) -> Tensor:
    """Two operators of unknown shape in a row."""
    positive = x[x > 0]
    return positive[positive > 0.5].sum() + x
