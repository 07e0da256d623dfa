"""More programs for the advice of inspector/advice/tensors.py."""

from __future__ import annotations

VARIANTS = {
    "sparse-tensor": (
        """\
import torch


@torch.compile
def forward(x):
    return (x * 2).to_sparse()


outputs = [forward(torch.eye(3))]
""",
    ),
}
