"""Operators whose output shape depends on values."""

import torch
from torch import Tensor


def nonzero(x: Tensor) -> Tensor:
    """The break comes before the first operator."""
    return x.nonzero() + 1


def boolean_mask(x: Tensor) -> Tensor:
    """Indexing with a mask."""
    return x[x > 0] * 2


def masked_select(x: Tensor) -> Tensor:
    """The same as a function."""
    y = x * 2
    return torch.masked_select(y, y > 0).sum()


def unique(x: Tensor) -> Tensor:
    """The distinct values."""
    return torch.unique(x) * 2


def where_indices(x: Tensor) -> Tensor:
    """``torch.where`` with one argument."""
    rows, _ = torch.where(x > 0)
    return rows.sum() + x


def repeat_interleave(x: Tensor) -> Tensor:
    """Counts given by a tensor."""
    counts = (x[0].abs() * 0 + 2).long()
    return x.repeat_interleave(counts, dim=0) + 1


def mask_assignment(x: Tensor) -> Tensor:
    """Assigning through a mask keeps the shape: no break."""
    y = x.clone()
    y[y > 0] = 0
    return y


def mask_twice(x: Tensor) -> Tensor:
    """Two operators of unknown shape in a row."""
    positive = x[x > 0]
    return positive[positive > 0.5].sum() + x
