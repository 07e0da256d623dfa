"""More programs for the advice of inspector/advice/item_branches.py."""

from __future__ import annotations

_NAMED = """\
import torch


@torch.compile
def forward(x):
    largest = x.abs().max().item()
    y = x.clamp(-10, 10) if largest > 10 else x.clone()
    return y * 2


outputs = [forward(x) for x in (torch.full((3,), 20.0), torch.ones(3))]
"""
PAIRS = {
    "item-branch": (
        (
            _NAMED,
            _NAMED.replace("max().item()", "max().detach()").replace(
                "x.clamp(-10, 10) if largest > 10 else x.clone()",
                "torch.where(largest > 10, x.clamp(-10, 10), x.clone())",
            ),
        ),
    ),
}
