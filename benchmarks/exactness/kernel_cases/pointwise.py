"""Elementwise functions: broadcasts, strides, small and large, several outputs."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.exactness.kernel_cases.case import INFERENCE, Case, case


def gelu_chain(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return functional.gelu(x) * torch.tanh(y) + x.sigmoid()

    return case(device, function, torch.randn(1024, 1024), torch.randn(1024, 1024))


def broadcast(device: str) -> Case:
    def function(x: Tensor, row: Tensor, column: Tensor) -> tuple[Tensor, Tensor]:
        total = x + row * column
        return total.relu(), total.exp()

    return case(device, function, torch.randn(33, 65), torch.randn(65), torch.randn(33, 1))


def transposed(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return x.t() * 2 + y

    return case(device, function, torch.randn(512, 256), torch.randn(256, 512))


def small_and_odd(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return torch.where(x > y, x.log1p(), y.erf()).nan_to_num()

    return case(device, function, torch.rand(7, 3, 5), torch.rand(5))


def concatenated(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return torch.cat([x.sin(), y.cos(), x + 1], dim=1) * 2

    return case(device, function, torch.randn(16, 100), torch.randn(16, 50))


def many_inputs(device: str) -> Case:
    def function(*tensors: Tensor) -> Tensor:
        return torch.stack([tensor * index for index, tensor in enumerate(tensors)]).mean(0)

    return case(device, function, *(torch.randn(64, 64) for _ in range(12)))


def padded_and_flipped(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        padded = functional.pad(x, (1, 2, 3, 0), value=0.5)
        return padded.flip(-1).roll(2, 1)

    return case(device, function, torch.randn(4, 30, 30))


def reflected(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        return functional.pad(x, (2, 2, 2, 2), mode="reflect") + 1

    return case(device, function, torch.randn(2, 3, 32, 32))


def in_place(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> Tensor:
        y.mul_(2).add_(x)
        return (x - y).abs_()

    return case(device, function, torch.randn(300, 300), torch.randn(300, 300), passes=(INFERENCE,))


def swiglu(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        gate, value = x.chunk(2, dim=-1)
        return functional.silu(gate) * value

    return case(device, function, torch.randn(8, 128, 512, dtype=torch.bfloat16))


def special_functions(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        return torch.lgamma(x) + torch.special.i0(x) + x.pow(3) + torch.atan2(x, x + 1) + x.rsqrt()

    return case(device, function, torch.rand(2000) + 0.5)


def scalars(device: str) -> Case:
    def function(x: Tensor, scale: float, count: int) -> Tensor:
        return x * scale + count

    return case(device, function, torch.randn(5000), 0.3, 7)


def large(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return (x * y).relu() + y

    size = (1 << 25,)
    return case(device, function, torch.randn(size), torch.randn(size), passes=(INFERENCE,))
