"""Reductions: inner, outer, split in two, persistent, several at once, with indices, scans."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.exactness.kernel_cases.case import INFERENCE, Case, case


def softmax_small(device: str) -> Case:
    return case(device, lambda x: torch.softmax(x * 2, -1), torch.randn(64, 100))


def softmax_long(device: str) -> Case:
    return case(device, lambda x: torch.log_softmax(x, -1), torch.randn(16, 50000))


def softmax_half(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        return torch.softmax(x.float(), -1).to(x.dtype)

    return case(device, function, torch.randn(4, 8, 256, 256, dtype=torch.float16))


def sum_all(device: str) -> Case:
    return case(device, lambda x: (x * x).sum(), torch.randn(3000, 1000))


def sum_outer(device: str) -> Case:
    return case(device, lambda x: x.relu().sum(0), torch.randn(8192, 96))


def mean_middle(device: str) -> Case:
    return case(device, lambda x: x.mean(1) + 1, torch.randn(8, 200, 64))


def variance(device: str) -> Case:
    return case(device, lambda x: torch.var_mean(x, dim=-1), torch.randn(200, 1000))


def deviation_all(device: str) -> Case:
    return case(device, lambda x: (x - x.mean()) / x.std(), torch.randn(400, 700))


def extremes(device: str) -> Case:
    def function(x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return x.amax(-1), x.amin(0), x.argmax(-1), x.any(-1)

    return case(device, function, torch.randn(128, 300), passes=(INFERENCE,))


def max_with_index(device: str) -> Case:
    def function(x: Tensor) -> tuple[Tensor, Tensor]:
        values, indices = x.max(-1)
        return values * 2, indices

    return case(device, function, torch.randn(64, 2000))


def cross_entropy(device: str) -> Case:
    def function(x: Tensor, target: Tensor) -> Tensor:
        return functional.cross_entropy(x, target, label_smoothing=0.1)

    return case(device, function, torch.randn(32, 1000), torch.randint(0, 1000, (32,)))


def log_sum_exp(device: str) -> Case:
    return case(device, lambda x: torch.logsumexp(x, (0, 2)), torch.randn(16, 32, 64))


def norms(device: str) -> Case:
    def function(x: Tensor) -> tuple[Tensor, Tensor]:
        return functional.normalize(x, dim=-1), torch.linalg.vector_norm(x)

    return case(device, function, torch.randn(100, 300))


def cumulative(device: str) -> Case:
    def function(x: Tensor) -> tuple[Tensor, Tensor]:
        return x.cumsum(-1), x.cumprod(0)

    return case(device, function, torch.rand(32, 600))


def cumulative_long(device: str) -> Case:
    return case(device, lambda x: x.cumsum(0), torch.rand(200000), passes=(INFERENCE,))


def sorted_rows(device: str) -> Case:
    return case(device, lambda x: (x * 2).sort(-1), torch.randn(32, 100))


def top_five(device: str) -> Case:
    return case(device, lambda x: torch.softmax(x.topk(5, -1).values, -1), torch.randn(32, 1000))


def products(device: str) -> Case:
    return case(device, lambda x: x.prod(-1) + x.sum((-1, -2), keepdim=True)[..., 0],
                torch.rand(6, 20, 30))  # fmt: skip
