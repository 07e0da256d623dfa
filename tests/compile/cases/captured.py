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


def branch_on_shape(x: Tensor) -> Tensor:
    """A branch on a captured size."""
    rows = x.nonzero()
    if rows.shape[0] > 3:
        return rows + 1
    return x * 2


def loop_count(x: Tensor) -> Tensor:
    """``range`` of a captured scalar."""
    y = x + 1
    for _ in range(int(x.abs().sum().item())):
        y = y + 1
    return y


def table_key(x: Tensor) -> Tensor:
    """A dictionary's key."""
    key = x.abs().sum().long().item()
    return x + {0: 1}.get(key, 2)


def split_size(x: Tensor) -> Tensor:
    """The size of the pieces."""
    size = x.abs().sum().long().item() + 1
    return torch.zeros(64).split(size)[0].sum() + x


def list_size(x: Tensor) -> Tensor:
    """The length of a Python list."""
    size = x.abs().sum().long().item()
    return x + len([0] * size) * 0


def text(x: Tensor) -> Tensor:
    """The text of a captured scalar."""
    return x + len(str(x.abs().sum().long().item())) * 0


def unprovable_sum(x: Tensor) -> Tensor:
    """Two sizes that cannot be shown to be equal: torch asserts them at run time."""
    return (x[x >= 0] + x.flatten()[: int((x >= 0).sum())]).sum() + x


def unbacked_index(x: Tensor) -> Tensor:
    """An index into a Python list: raises instead of breaking."""
    index = x.abs().sum().long().item() * 0
    return x + [1, 2, 3][index]
