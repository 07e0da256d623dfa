"""Convolutions, pooling, resampling, and the layouts that Inductor chooses for them."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.exactness.kernel_cases.case import INFERENCE, Case, case


class Residual(nn.Module):
    """Two convolutions with batch norm and a skip connection."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.second(functional.relu(self.norm(self.first(x)))))


def residual(device: str) -> Case:
    return case(device, Residual(64), torch.randn(8, 64, 28, 28))


def residual_channels_last(device: str) -> Case:
    inputs = torch.randn(8, 64, 28, 28).contiguous(memory_format=torch.channels_last)
    return case(device, Residual(64).to(memory_format=torch.channels_last), inputs)


def residual_half(device: str) -> Case:
    return case(device, Residual(128).half(), torch.randn(4, 128, 14, 14).half())


def grouped(device: str) -> Case:
    module = nn.Sequential(nn.Conv2d(64, 64, 3, groups=8), nn.ReLU(), nn.Conv2d(64, 32, 1))
    return case(device, module, torch.randn(2, 64, 20, 20))


def depthwise(device: str) -> Case:
    module = nn.Sequential(
        nn.Conv2d(32, 32, 7, padding=3, groups=32), nn.GELU(), nn.Conv2d(32, 128, 1), nn.GELU()
    )
    return case(device, module, torch.randn(4, 32, 28, 28))


def few_channels(device: str) -> Case:
    module = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.SiLU(), nn.Conv2d(8, 4, 3))
    return case(device, module, torch.randn(2, 3, 64, 64))


def one_dimension(device: str) -> Case:
    module = nn.Sequential(nn.Conv1d(80, 128, 3, padding=1), nn.GELU(), nn.Conv1d(128, 64, 3, 2))
    return case(device, module, torch.randn(2, 80, 200))


def three_dimensions(device: str) -> Case:
    module = nn.Sequential(nn.Conv3d(4, 16, 3), nn.ReLU(), nn.MaxPool3d(2))
    return case(device, module, torch.randn(1, 4, 12, 24, 24))


def transposed(device: str) -> Case:
    module = nn.Sequential(nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.BatchNorm2d(16), nn.ReLU())
    return case(device, module, torch.randn(2, 32, 16, 16))


def pooling(device: str) -> Case:
    class Pools(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            return (
                functional.max_pool2d(x, 3, 2, 1),
                functional.avg_pool2d(x, 2),
                functional.adaptive_avg_pool2d(x, 7),
            )

    return case(device, Pools(), torch.randn(4, 16, 30, 30))


def resampled(device: str) -> Case:
    class Resample(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            return (
                functional.interpolate(x, scale_factor=2, mode="nearest"),
                functional.interpolate(x, size=(20, 30), mode="bilinear", align_corners=False),
                functional.pixel_shuffle(x, 2),
            )

    return case(device, Resample(), torch.randn(2, 8, 16, 16))


def bicubic(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        return functional.interpolate(x, size=(33, 33), mode="bicubic")

    return case(device, function, torch.randn(1, 3, 16, 16), passes=(INFERENCE,))


def grid_sampled(device: str) -> Case:
    def function(x: Tensor, grid: Tensor) -> Tensor:
        return functional.grid_sample(x, grid, align_corners=False)

    return case(device, function, torch.randn(2, 3, 16, 16), torch.rand(2, 8, 8, 2) * 2 - 1)


def unet(device: str) -> Case:
    class Unet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Conv2d(3, 16, 3, padding=1)
            self.down = nn.Conv2d(16, 32, 3, 2, 1)
            self.norm = nn.GroupNorm(4, 32)
            self.up = nn.ConvTranspose2d(32, 16, 2, 2)
            self.out = nn.Conv2d(32, 1, 1)

        def forward(self, x: Tensor) -> Tensor:
            wide = functional.silu(self.inner(x))
            deep = functional.silu(self.norm(self.down(wide)))
            return self.out(torch.cat([self.up(deep), wide], 1))

    return case(device, Unet(), torch.randn(2, 3, 32, 32))


def pooled_head(device: str) -> Case:
    """A global mean before a linear layer."""
    module = nn.Sequential(
        nn.Conv2d(3, 32, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)
    )
    return case(device, module, torch.randn(4, 3, 32, 32))


def mean_head(device: str) -> Case:
    class Head(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(3, 64, 3, 2)
            self.head = nn.Linear(64, 5)

        def forward(self, x: Tensor) -> Tensor:
            return self.head(self.conv(x).relu().mean((-2, -1)))

    return case(device, Head(), torch.randn(4, 3, 33, 33))


def autocast(device: str) -> Case:
    class Mixed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.block = Residual(32)
            self.head = nn.Linear(32, 10)

        def forward(self, x: Tensor) -> Tensor:
            with torch.autocast(x.device.type, dtype=torch.bfloat16):
                return self.head(self.block(x).mean((-2, -1)))

    return case(device, Mixed(), torch.randn(4, 32, 16, 16))
