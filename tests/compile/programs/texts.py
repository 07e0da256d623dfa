"""More programs for the advice of inspector/advice/printing.py."""

from __future__ import annotations

VARIANTS = {
    "tensor-as-text": (
        """\
import torch


@torch.compile
def forward(x):
    return x * 2, repr(x.sum())


outputs = [forward(torch.ones(3))]
""",
    ),
}
