"""Dropout and random numbers."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.exactness.kernel_cases.case import BOTH, INFERENCE, TRAINING, Case, case


def dropout(device: str) -> Case:
    module = nn.Sequential(nn.Linear(128, 256), nn.Dropout(0.2), nn.GELU(), nn.Dropout(0.1))
    return case(device, module, torch.randn(64, 128), passes=BOTH)


def functional_dropout(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        return functional.dropout(x, 0.3) + functional.dropout(x * 2, 0.5)

    return case(device, function, torch.randn(100, 200))


def dropout_2d(device: str) -> Case:
    return case(device, nn.Dropout2d(0.5), torch.randn(4, 16, 20, 20), passes=(TRAINING,))


def uniform_and_normal(device: str) -> Case:
    def function(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return x + torch.rand_like(x), x * torch.randn_like(x), torch.rand(10, device=x.device)

    return case(device, function, torch.randn(64, 33))


def integers(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        return x + torch.randint(0, 10, x.shape, device=x.device)

    return case(device, function, torch.randn(100), passes=(INFERENCE,))


def bernoulli(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        return torch.bernoulli(x) * x

    return case(device, function, torch.rand(32, 32), passes=(INFERENCE,))


def sampled(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        return torch.multinomial(torch.softmax(x, -1), 1)

    return case(device, function, torch.randn(4, 100), passes=(INFERENCE,))


def gumbel(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        noise = torch.empty_like(x).exponential_()
        return (x.softmax(-1) / noise).argmax(-1)

    return case(device, function, torch.randn(8, 300), passes=(INFERENCE,))


def reparameterised(device: str) -> Case:
    class Encoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mean, self.spread = nn.Linear(32, 8), nn.Linear(32, 8)

        def forward(self, x: Tensor) -> Tensor:
            mean, spread = self.mean(x), self.spread(x)
            return mean + torch.randn_like(mean) * (0.5 * spread).exp()

    return case(device, Encoder(), torch.randn(16, 32))
