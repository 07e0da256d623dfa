"""Breaks that torch reports wrapped in another, and breaks without a GB id."""

import torch
from torch import Tensor


def inner(x: Tensor) -> Tensor:
    """Breaks where it cannot be resumed."""
    print("inner")
    return x + 1


def inlined_in_loop(x: Tensor) -> Tensor:
    """A loop that inlines a break: the loop's record wraps the first cause."""
    for _ in range(2):
        x = inner(x)
    return x


def cond_branch(x: Tensor) -> Tensor:
    """A break inside a higher-order operator."""
    return torch.cond(x.sum() > 0, inner, lambda y: y - 1, (x,))


def cond_with_side_effect(x: Tensor) -> Tensor:
    """A branch of torch.cond that changes a list."""
    seen = []

    def remember(y: Tensor) -> Tensor:
        seen.append(y)
        return y + 1

    return torch.cond(x.sum() > 0, remember, lambda y: y - 1, (x,)) + len(seen)


def vmap_branch(x: Tensor) -> Tensor:
    """A data-dependent branch under vmap."""
    return torch.vmap(lambda row: row * row.sum().item())(x)


def checkpoint(x: Tensor) -> Tensor:
    """A break under activation checkpointing."""
    return torch.utils.checkpoint.checkpoint(inner, x, use_reentrant=False) + 1


def functional_grad(x: Tensor) -> Tensor:
    """A break under torch.func.grad."""
    return torch.func.grad(lambda y: inner(y).sum())(x)


def sparse(x: Tensor) -> Tensor:
    """Sparse tensors."""
    return x.to_sparse().to_dense() + 1
