"""More programs for the advice of inspector/advice/contexts.py."""

from __future__ import annotations

VARIANTS = {
    "lock": (
        """\
import threading
import torch

lock = threading.Lock()


@torch.compile
def forward(x):
    lock.acquire()
    y = x * 2
    lock.release()
    return y


outputs = [forward(torch.ones(3))]
""",
    ),
}
