"""More programs for the advice of inspector/advice/masked_updates.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_PROGRAM = BY_ID["masked-update"].before


_SHARED = _PROGRAM.replace("mask = x > 0", "mask, z = x > 0, y.view(-1)").replace(
    "return y", "return y + z"
)
_ADDED = _PROGRAM.replace("y[mask] = y[mask].sin() + 1", "y[mask] += x[mask] * 3")
_ROOTS = _PROGRAM.replace("y[mask] = y[mask].sin() + 1", "y[mask] = torch.sqrt(x[mask])")
_ROWS = """\
import torch


@torch.compile
def forward(x):
    y = x * 2
    rows = x.sum(1) > 0
    y[rows] = y[rows] * 3
    return y


outputs = [forward(x) for x in (torch.eye(3) - 0.5, torch.ones(2, 3))]
"""
VARIANTS = {
    "masked-update": (_PROGRAM.replace("y[mask] = y[mask].sin() + 1", "y[mask] *= 2"),),
}
PAIRS = {
    "masked-update": (
        (
            _ADDED,
            _ADDED.replace("y[mask] += x[mask] * 3", "y = torch.where(mask, y + x * 3, y)"),
        ),
        (
            _ROOTS,
            _ROOTS.replace(
                "y[mask] = torch.sqrt(x[mask])",
                "y = torch.where(mask, torch.sqrt(torch.where(mask, x, 1)), y)",
            ),
        ),
        (
            _ROWS,
            _ROWS.replace("y[rows] = y[rows] * 3", "y = torch.where(rows.unsqueeze(-1), y * 3, y)"),
        ),
        (
            _SHARED,
            _SHARED.replace(
                "y[mask] = y[mask].sin() + 1",
                "y.copy_(torch.where(mask, y.clone().sin() + 1, y))",
            ),
        ),
    ),
}
