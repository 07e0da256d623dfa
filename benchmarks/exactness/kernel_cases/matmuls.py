"""Matrix multiplications: epilogues, odd sizes that are padded, batches, chains."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.exactness.kernel_cases.case import INFERENCE, Case, case

HALF = torch.float16


def mlp(device: str) -> Case:
    module = nn.Sequential(
        nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 512), nn.GELU(), nn.LayerNorm(512)
    )
    return case(device, module, torch.randn(256, 512))


def odd_half(device: str) -> Case:
    return case(device, nn.Sequential(nn.Linear(1023, 2047), nn.ReLU()).half(),
                torch.randn(4095, 1023).half())  # fmt: skip


def odd_full(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return (x @ y).relu()

    return case(device, function, torch.randn(2049, 1025), torch.randn(1025, 2051))


def odd_small(device: str) -> Case:
    return case(device, nn.Linear(37, 11), torch.randn(5, 37))


def odd_batched(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return torch.bmm(x, y) * 0.5

    return case(device, function, torch.randn(16, 513, 255).half(),
                torch.randn(16, 255, 511).half())  # fmt: skip


def addmm_scaled(device: str) -> Case:
    def function(bias: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return torch.addmm(bias, x, y, beta=0.5, alpha=2.0).tanh()

    return case(device, function, torch.randn(64), torch.randn(32, 128), torch.randn(128, 64))


def baddbmm(device: str) -> Case:
    def function(bias: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return torch.baddbmm(bias, x, y).softmax(-1)

    return case(device, function, torch.randn(8, 32, 48), torch.randn(8, 32, 64),
                torch.randn(8, 64, 48))  # fmt: skip


def matrix_vector(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x @ y, torch.outer(y, y)

    return case(device, function, torch.randn(300, 200), torch.randn(200))


def one_row(device: str) -> Case:
    return case(device, nn.Linear(256, 512), torch.randn(1, 256))


def one_column(device: str) -> Case:
    return case(device, nn.Linear(256, 1), torch.randn(64, 256))


def einsum(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return torch.einsum("bhid,bhjd->bhij", x, y) + 1

    return case(device, function, torch.randn(2, 4, 30, 16), torch.randn(2, 4, 40, 16))


def shared_weights(device: str) -> Case:
    """Several linear layers on one input."""

    class Heads(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.query, self.key, self.value = (nn.Linear(128, 128) for _ in range(3))

        def forward(self, x: Tensor) -> Tensor:
            return self.query(x) + self.key(x).sigmoid() * self.value(x)

    return case(device, Heads(), torch.randn(4, 32, 128))


def lora(device: str) -> Case:
    class Lora(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.base = nn.Linear(256, 256).requires_grad_(requires_grad=False)
            self.down = nn.Linear(256, 8, bias=False)
            self.up = nn.Linear(8, 256, bias=False)

        def forward(self, x: Tensor) -> Tensor:
            return self.base(x) + self.up(self.down(x)) * 2

    return case(device, Lora().bfloat16(), torch.randn(16, 64, 256).bfloat16())


def mixed_dtypes(device: str) -> Case:
    def function(x: Tensor, weight: Tensor) -> Tensor:
        return x @ weight.to(x.dtype)

    return case(device, function, torch.randn(64, 128).bfloat16(),
                torch.randint(-8, 8, (128, 64), dtype=torch.int8), passes=(INFERENCE,))  # fmt: skip


def int8_matmul(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return torch._int_mm(x, y).float() * 0.1

    return case(device, function, torch.randint(-8, 8, (64, 64), dtype=torch.int8),
                torch.randint(-8, 8, (64, 64), dtype=torch.int8), passes=(INFERENCE,))  # fmt: skip


def lstm(device: str) -> Case:
    return case(device, nn.LSTM(32, 64, batch_first=True), torch.randn(4, 10, 32))


def bilinear(device: str) -> Case:
    def function(x: Tensor, weight: Tensor, y: Tensor) -> Tensor:
        return functional.bilinear(x, y, weight)

    return case(device, function, torch.randn(16, 20), torch.randn(10, 20, 30), torch.randn(16, 30))


def transposed_operands(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return (x.t() @ y.t()).exp()

    return case(device, function, torch.randn(96, 64, dtype=HALF), torch.randn(80, 96, dtype=HALF))
