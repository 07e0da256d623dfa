"""Normalisations."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.exactness.kernel_cases.case import Case, case


def layer_norm(device: str) -> Case:
    module = nn.Sequential(nn.LayerNorm(768), nn.GELU(), nn.LayerNorm(768))
    return case(device, module, torch.randn(8, 64, 768))


def layer_norm_bf16(device: str) -> Case:
    return case(device, nn.LayerNorm(4096).bfloat16(), torch.randn(64, 4096).bfloat16())


def layer_norm_wide(device: str) -> Case:
    return case(device, nn.LayerNorm(20000, bias=False), torch.randn(16, 20000))


def rms_norm(device: str) -> Case:
    return case(device, nn.RMSNorm(1024), torch.randn(32, 1024))


def llama_rms_norm(device: str) -> Case:
    def function(x: Tensor, weight: Tensor, residual: Tensor) -> tuple[Tensor, Tensor]:
        hidden = x + residual
        wide = hidden.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return weight * wide.to(x.dtype), hidden

    shape = (2, 128, 2048)
    half = torch.bfloat16
    return case(device, function, torch.randn(shape, dtype=half), torch.ones(2048, dtype=half),
                torch.randn(shape, dtype=half))  # fmt: skip


def group_norm(device: str) -> Case:
    return case(device, nn.Sequential(nn.GroupNorm(8, 64), nn.SiLU()), torch.randn(4, 64, 32, 32))


def group_norm_large(device: str) -> Case:
    return case(device, nn.GroupNorm(32, 320).half(), torch.randn(2, 320, 64, 64).half())


def group_norm_channels_last(device: str) -> Case:
    inputs = torch.randn(4, 32, 24, 24).contiguous(memory_format=torch.channels_last)
    return case(device, nn.GroupNorm(4, 32), inputs)


def batch_norm(device: str) -> Case:
    return case(device, nn.Sequential(nn.BatchNorm2d(32), nn.ReLU()), torch.randn(8, 32, 28, 28))


def batch_norm_1d(device: str) -> Case:
    return case(device, nn.BatchNorm1d(100), torch.randn(64, 100))


def instance_norm(device: str) -> Case:
    return case(device, nn.InstanceNorm2d(16, affine=True), torch.randn(2, 16, 40, 40))


def local_response_norm(device: str) -> Case:
    return case(device, nn.LocalResponseNorm(5), torch.randn(2, 16, 20, 20))


def weight_norm(device: str) -> Case:
    module = nn.utils.parametrizations.weight_norm(nn.Linear(64, 128))
    return case(device, module, torch.randn(16, 64))


def functional_batch_norm(device: str) -> Case:
    def function(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return functional.batch_norm(x, None, None, weight, bias, training=True)

    return case(device, function, torch.randn(16, 24, 10), torch.ones(24), torch.zeros(24))
