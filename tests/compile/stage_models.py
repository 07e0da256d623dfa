"""Small models, each with something that graphs and their texts have to cope with."""

import dataclasses
from collections.abc import Callable

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint


class Attention(nn.Module):
    """A softmax that is divided first: a pass of Inductor's makes nodes without a stack of it."""

    def __init__(self, size: int = 32) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.qkv = nn.Linear(size, 3 * size)
        self.out = nn.Linear(size, size)
        self.mlp = nn.Sequential(nn.Linear(size, size), nn.GELU(), nn.Dropout(0.1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        scores = (q @ k.transpose(-1, -2)) / 5.0
        x = x + self.out(scores.softmax(-1) @ v)
        return x + self.mlp(x)


class Convolution(nn.Module):
    """Buffers that are written in place."""

    def __init__(self) -> None:
        super().__init__()
        layers = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)
        self.features = nn.Sequential(*layers)
        self.head = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.features(x).mean((2, 3)))


class Dynamic(nn.Module):
    """Sizes that are arguments, and arithmetic with them."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(16, 16)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        batch, length, _ = x.shape
        y = self.linear(x).reshape(batch * length, 16)
        return y.sum(0) / (batch + length), y[: length // 2], torch.cat([y, -y])


class Branch(nn.Module):
    """Nested graphs, whose nodes have names of the outer one's."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found = torch.cond(x.sum() > 0, lambda x: self.linear(x).sin(), lambda x: x.cos() + 1, (x,))
        return found * 2


class Table(nn.Module):
    """Writes in place, and operators that Inductor leaves to ATen."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(10, 8)

    def forward(self, index: torch.Tensor) -> torch.Tensor:
        x = self.table(index)
        summed = torch.zeros(10, 8).index_add(0, index, x)
        scattered = torch.zeros(10, 8)
        scattered.scatter_add_(0, index[:, None].expand(-1, 8), x)
        copied = summed.clone()
        copied[0] = 1
        copied += scattered
        values, _ = copied.topk(2)
        return copied.sum() + values.sum() + torch.sort(copied)[0].cumsum(0).mean() + x.max()


class Recomputed(nn.Module):
    """A checkpoint, autocast, modes of autograd, and numbers that Python cannot write."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = checkpoint(lambda v: functional.relu(self.linear(v)).sin(), x, use_reentrant=False)
        with torch.no_grad():
            z = x.exp()
        bounded = torch.where(x > 0, x, float("inf")).clamp(max=1e5)
        return (y * z).sum() + bounded.nan_to_num(posinf=float("inf")).sum()


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """A model with a call of it."""

    make: Callable[[], nn.Module]
    input: Callable[[], torch.Tensor]
    dynamic: bool = False


CASES = {
    "attention": Case(Attention, lambda: torch.randn(2, 4, 32)),
    "convolution": Case(Convolution, lambda: torch.randn(2, 3, 8, 8)),
    "dynamic": Case(Dynamic, lambda: torch.randn(3, 5, 16), dynamic=True),
    "branch": Case(Branch, lambda: torch.randn(4, 8)),
    "table": Case(Table, lambda: torch.arange(5)),
    "recomputed": Case(Recomputed, lambda: torch.randn(4, 8)),
}
