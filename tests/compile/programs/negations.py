"""More programs for the advice of inspector/advice/negations.py."""

from __future__ import annotations

_FACTOR = """\
import torch


@torch.compile
def forward(x):
    is_small = not x.sum() > 1
    return x * is_small


outputs = [forward(x) for x in (torch.zeros(3), torch.ones(3))]
"""
PAIRS = {
    "not-of-tensor": (
        (_FACTOR, _FACTOR.replace("not x.sum() > 1", "(x.sum() > 1).logical_not()")),
    ),
}
