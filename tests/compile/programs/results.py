"""More programs for the advice of inspector/advice/tensors.py."""

from __future__ import annotations

VARIANTS = {
    "resize": (
        """\
import torch


@torch.compile
def forward(x, result):
    result.resize_(2, 2)
    return result.copy_(x)


outputs = [forward(torch.ones(2, 2), torch.empty(0))]
""",
    ),
}
