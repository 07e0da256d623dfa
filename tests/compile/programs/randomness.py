"""More programs for the advice of inspector/advice/randomness.py."""

from __future__ import annotations

_DRAWN_BEFORE = """\
import torch


@torch.compile
def forward(x):
    x = x + torch.rand(3)
    torch.manual_seed(0)
    return x + torch.rand(3)


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
"""
_SEEDED_BETWEEN = """\
import torch


@torch.compile
def first(x):
    return x + torch.rand(3)


@torch.compile
def second(x):
    return x + torch.rand(3)


def forward(x):
    x = first(x)
    torch.manual_seed(0)
    return second(x)


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
"""
PAIRS = {
    "manual-seed": ((_DRAWN_BEFORE, _SEEDED_BETWEEN),),
}
