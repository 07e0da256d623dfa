"""More programs for the advice of inspector/advice/iterators.py."""

from __future__ import annotations

VARIANTS = {
    "generator-from-outside": (
        """\
import torch

torch._dynamo.config.enable_faithful_generator_behavior = True  # torch's hint (GB0253)


@torch.compile
def forward(x, items):
    for item in items:
        x = x * item
    return x


outputs = [forward(torch.ones(3), (index + 1 for index in range(3)))]
""",
    ),
}
