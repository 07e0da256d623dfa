"""More programs for the advice of inspector/advice/compiler.py."""

from __future__ import annotations

VARIANTS = {
    "disabled-function": (
        """\
import torch


@torch.compiler.disable(recursive=False)
def helper(x):
    return x.norm().log()


@torch.compile
def forward(x):
    return helper(x) * 2


outputs = [forward(torch.ones(3))]
""",
    ),
}
