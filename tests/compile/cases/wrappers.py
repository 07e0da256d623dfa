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


def quantize(x: Tensor) -> Tensor:
    """Quantized tensors have no fake version."""
    return torch.quantize_per_tensor(x, 0.1, 0, torch.quint8).dequantize() + 1


def out_argument(x: Tensor) -> Tensor:
    """An ``out=`` that has to be resized."""
    out = torch.empty(0)
    torch.add(x, 1, out=out)
    return out * 2


def resize_in_place(x: Tensor) -> Tensor:
    """Changes a tensor's storage."""
    y = x + 1
    y.resize_(2, 8)
    return y * 2


def set_data(x: Tensor) -> Tensor:
    """Writes to ``.data``."""
    y = x.clone()
    y.data = x * 2
    return y + 1


def linalg_eig(x: Tensor) -> Tensor:
    """Complex results."""
    return torch.linalg.eigvals(x).abs() + x


def bincount(x: Tensor) -> Tensor:
    """An operator whose size depends on values."""
    return torch.bincount(x.abs().long().flatten()).sum() + x


def nested_tensor(x: Tensor) -> Tensor:
    """A nested tensor made on the way."""
    ragged = torch.nested.nested_tensor([x[:2], x[:3]], layout=torch.jagged)
    return ragged.values().sum() + x
