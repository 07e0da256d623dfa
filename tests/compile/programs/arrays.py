"""More programs for the advice of inspector/advice/arrays.py."""

from __future__ import annotations

_MIXED = """\
import numpy as np
import torch


@torch.compile
def forward(x):
    order = np.random.permutation(x.shape[0])
    return x + x[torch.from_numpy(order)]


np.random.seed(0)
outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
"""
_MIXED_PASSED = """\
import numpy as np
import torch


@torch.compile
def compute(x, order):
    return x + x[order]


def forward(x):
    return compute(x, torch.from_numpy(np.random.permutation(x.shape[0])))


np.random.seed(0)
outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
"""
VARIANTS = {
    "ndarray-method": (
        """\
import torch


@torch.compile
def forward(x):
    y = x * 2
    return y, y.numpy().astype(object)[0]


outputs = [forward(torch.ones(4))]
""",
    ),
}
PAIRS = {
    "numpy-random-number": ((_MIXED, _MIXED_PASSED),),
}
