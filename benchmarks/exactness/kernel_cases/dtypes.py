"""Dtypes other than float32, and conversions between them."""

from __future__ import annotations

import torch
from torch import Tensor

from benchmarks.exactness.kernel_cases.case import INFERENCE, Case, case


def double(device: str) -> Case:
    return case(device, lambda x: (x.exp() + 1).log().sum(-1), torch.randn(64, 64).double())


def half_pointwise(device: str) -> Case:
    return case(device, lambda x: x.tanh() * x.exp() / 3, torch.randn(1000, 30).half())


def bfloat_reduction(device: str) -> Case:
    return case(device, lambda x: x.sum(-1) / x.norm(dim=-1), torch.randn(64, 700).bfloat16())


def integers(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return x // 3 + y % 5, x << 2, (x & y).bitwise_xor(7)

    numbers = torch.randint(-100, 100, (500,))
    return case(device, function, numbers, numbers.int() + 1, passes=(INFERENCE,))


def booleans(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return (x & ~y), (x | y).sum(-1)

    return case(device, function, torch.rand(64, 64) > 0.5, torch.rand(64, 64) > 0.2,
                passes=(INFERENCE,))  # fmt: skip


def quantised(device: str) -> Case:
    def function(x: Tensor) -> tuple[Tensor, Tensor]:
        scale = x.abs().amax(-1, keepdim=True) / 127
        return (x / scale).round().clamp(-128, 127).to(torch.int8), scale

    return case(device, function, torch.randn(128, 512), passes=(INFERENCE,))


def float8(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        return (x * 4).to(torch.float8_e4m3fn).to(torch.float32) * 0.25

    return case(device, function, torch.randn(128, 512), passes=(INFERENCE,))


def complex_numbers(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return torch.view_as_real(torch.view_as_complex(x) * torch.view_as_complex(y))

    return case(device, function, torch.randn(4, 16, 8, 2), torch.randn(4, 16, 8, 2),
                passes=(INFERENCE,))  # fmt: skip


def rotary(device: str) -> Case:
    def function(x: Tensor, positions: Tensor) -> Tensor:
        inverse = 1.0 / (10000 ** (torch.arange(0, 64, 2, device=x.device) / 64))
        angles = positions[:, None].float() * inverse[None]
        angles = torch.cat([angles, angles], -1)
        first, second = x.chunk(2, -1)
        return (x * angles.cos() + torch.cat([-second, first], -1) * angles.sin()).to(x.dtype)

    return case(device, function, torch.randn(2, 4, 32, 64).bfloat16(), torch.arange(32))
