"""More programs for the advice of inspector/advice/shapes.py."""

from __future__ import annotations

_ROWS = """\
import torch


@torch.compile
def forward(x, mask):
    y, other = x * 2, x + 1
    same = y
    y[mask] = other[mask]
    return same, y


outputs = [forward(torch.ones(2, 2), torch.tensor(mask)) for mask in ([True, False], [True, True])]
"""
PAIRS = {
    "masked-store": (
        (
            _ROWS,
            _ROWS.replace(
                "y[mask] = other[mask]", "y.copy_(torch.where(mask.unsqueeze(-1), other, y))"
            ),
        ),
    ),
}
