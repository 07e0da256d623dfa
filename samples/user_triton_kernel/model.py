"""A gated layer with two Triton kernels of its own: one is tuned, one is an operator."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

WIDTH = 1024


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 256}, num_warps=4),
        triton.Config({"BLOCK": 1024}, num_warps=8),
    ],
    key=["numel"],
)
@triton.jit
def gated(values, gates, result, numel, BLOCK: tl.constexpr):  # noqa: N803 - as Triton spells it
    """One program gates a block of values."""
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < numel
    value = tl.load(values + places, mask).to(tl.float32)
    gate = tl.load(gates + places, mask).to(tl.float32)
    tl.store(result + places, value * tl.sigmoid(gate), mask)


@triton.jit
def scaled_rows(rows, scales, result, width, BLOCK: tl.constexpr):  # noqa: N803
    """One program divides a row by its root mean square."""
    row, columns = tl.program_id(0), tl.arange(0, BLOCK)
    mask = columns < width
    values = tl.load(rows + row * width + columns, mask, other=0.0).to(tl.float32)
    norm = tl.rsqrt(tl.sum(values * values) / width + 1e-6)
    scale = tl.load(scales + columns, mask, other=0.0)
    tl.store(result + row * width + columns, values * norm * scale, mask)


@torch.library.triton_op("samples::scaled_rows", mutates_args=())
def scale_rows(rows: Tensor, scales: Tensor) -> Tensor:
    """(rows, width), (width,) → (rows, width)."""
    result = torch.empty_like(rows)
    block = triton.next_power_of_2(rows.shape[1])
    launch = torch.library.wrap_triton(scaled_rows)[(rows.shape[0],)]
    launch(rows, scales, result, rows.shape[1], BLOCK=block)
    return result


class Gated(nn.Module):
    """Normalises, projects to values and gates, and gates."""

    def __init__(self) -> None:
        super().__init__()
        self.scales = nn.Parameter(torch.ones(WIDTH))
        self.values = nn.Linear(WIDTH, WIDTH)
        self.gates = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        """(rows, width) → (rows, width)."""
        x = scale_rows(x, self.scales)
        values, gates = self.values(x), self.gates(x)
        result = torch.empty_like(values)
        numel = result.numel()
        gated[lambda meta: (triton.cdiv(numel, meta["BLOCK"]),)](values, gates, result, numel)
        return torch.nn.functional.gelu(result) + x


torch.manual_seed(0)
model = Gated().eval().requires_grad_(requires_grad=False).cuda()
example_inputs = (torch.randn(4096, WIDTH, device="cuda"),)
