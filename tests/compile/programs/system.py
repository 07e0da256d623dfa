"""More programs for the advice of inspector/advice/system.py."""

from __future__ import annotations

VARIANTS = {
    "clock": (
        """\
import datetime
import torch


@torch.compile
def forward(x):
    return x * 2, datetime.datetime.now()


outputs = [forward(torch.ones(3))]
""",
    ),
}
