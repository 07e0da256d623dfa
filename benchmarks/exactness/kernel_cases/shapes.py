"""Dynamic shapes, graphs with breaks between them, views and mutations of inputs."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from benchmarks.exactness.kernel_cases.case import INFERENCE, Case, calls, case


def dynamic_pointwise(device: str) -> Case:
    sizes = [(torch.randn(size, 32),) for size in (8, 20, 33)]
    return calls(device, lambda x: x.sigmoid() * x.shape[0], sizes)


def dynamic_softmax(device: str) -> Case:
    sizes = [(torch.randn(4, size),) for size in (100, 200)]
    return calls(device, lambda x: torch.softmax(x, -1), sizes, options={"dynamic": True})


def dynamic_mlp(device: str) -> Case:
    module = nn.Sequential(nn.Linear(32, 64), nn.LayerNorm(64), nn.ReLU(), nn.Linear(64, 8))
    sizes = [(torch.randn(size, 32),) for size in (16, 24)]
    return calls(device, module, sizes, options={"dynamic": True})


def dynamic_convolution(device: str) -> Case:
    module = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU())
    sizes = [(torch.randn(2, 3, size, size),) for size in (32, 48)]
    return calls(device, module, sizes)


def dynamic_attention(device: str) -> Case:
    layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
    sizes = [(torch.randn(2, size, 64),) for size in (10, 20)]
    return calls(device, layer, sizes)


def dynamic_reduction(device: str) -> Case:
    sizes = [(torch.randn(size, 3000),) for size in (100, 300)]
    return calls(device, lambda x: x.sum() + x.mean(0), sizes, options={"dynamic": True})


def printing(device: str) -> Case:
    class Breaks(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(32, 64), nn.Linear(64, 16)

        def forward(self, x: Tensor) -> Tensor:
            x = self.first(x).relu()
            torch._dynamo.graph_break()
            x = self.second(x).softmax(-1)
            torch._dynamo.graph_break()
            return x * 2 + 1

    return case(device, Breaks(), torch.randn(8, 32))


def data_dependent(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        x = x * 2
        if x.sum() > -1e9:
            return x.sin() + 1
        return x.cos()

    return case(device, function, torch.randn(64, 64))


def item_in_between(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        scale = x.abs().max().item()
        return x / scale

    return case(device, function, torch.randn(64, 64), passes=(INFERENCE,))


def viewed(device: str) -> Case:
    def function(x: Tensor) -> tuple[Tensor, Tensor]:
        y = x.view(4, -1).transpose(0, 1)
        return y, y.contiguous() + 1

    return case(device, function, torch.randn(16, 32))


def input_mutated(device: str) -> Case:
    class Counter(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("mean", torch.zeros(32))

        def forward(self, x: Tensor) -> Tensor:
            self.mean.lerp_(x.mean(0), 0.1)
            return x - self.mean

    return case(device, Counter(), torch.randn(64, 32), passes=(INFERENCE,))


def checkpointed(device: str) -> Case:
    class Blocks(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = nn.ModuleList(
                nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 64)) for _ in range(2)
            )

        def forward(self, x: Tensor) -> Tensor:
            for block in self.blocks:
                x = x + torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
            return x

    return case(device, Blocks(), torch.randn(16, 64))


def two_devices(device: str) -> Case:
    """A tensor that stays on the CPU."""

    def function(x: Tensor, scale: Tensor) -> Tensor:
        return x * scale + 1

    made = case(device, function, torch.randn(64, 64), passes=(INFERENCE,))
    ((args, kwargs),) = made.calls
    return Case(function, (((*args, torch.tensor(2.0)), kwargs),), passes=(INFERENCE,))
