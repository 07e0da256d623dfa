"""More programs for the advice of inspector/advice/randomness.py."""

from __future__ import annotations

VARIANTS = {
    "python-random": (
        """\
import random
import torch


@torch.compile
def forward(x):
    return x * random.choice([1, 2])


torch._dynamo.dont_skip_tracing(random.choice)  # torch's hint
outputs = [forward(torch.ones(3))]
""",
    ),
}
