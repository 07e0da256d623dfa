"""With scalar outputs and dynamic shapes captured: breaks that have no GB id."""

import torch
from torch import Tensor

torch._dynamo.config.capture_scalar_outputs = True
torch._dynamo.config.capture_dynamic_output_shape_ops = True


def no_break(x: Tensor) -> Tensor:
    """``item`` and ``nonzero`` are captured."""
    return x * x.sum().item() + x.nonzero().sum()


def branch(x: Tensor) -> Tensor:
    """A branch on a captured scalar."""
    total = x.abs().sum().item()
    if total >= 0:
        return x * total
    return x - 1


def loop_count(x: Tensor) -> Tensor:
    """``range`` of a captured scalar."""
    y = x + 1
    for _ in range(int(x.abs().sum().item())):
        y = y + 1
    return y


def unprovable_sum(x: Tensor) -> Tensor:
    """Two sizes that cannot be shown to be equal: torch asserts them at run time."""
    return (x[x >= 0] + x.flatten()[: int((x >= 0).sum())]).sum() + x
