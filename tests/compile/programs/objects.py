"""More programs for the advice of inspector/advice/objects.py."""

from __future__ import annotations

VARIANTS = {
    "id-of-tensor": (
        """\
import torch

seen = {}


@torch.compile
def forward(x, parts):
    seen[id(x * 2)] = parts
    return x + 1


outputs = [forward(torch.ones(3), [1])]
""",
    ),
}
