"""More programs for the advice of inspector/advice/indices.py."""

from __future__ import annotations

_ROW = """\
import torch


@torch.compile
def forward(x):
    best = int(x.sum(1).argmax())
    return x[best] * 2


outputs = [forward(x) for x in (torch.eye(3), torch.arange(6.0).reshape(2, 3))]
"""
_LOOKED_UP = """\
import torch

weights = {1: 2.0, 2: 3.0}


@torch.compile
def forward(x, label):
    return x * weights[label.item()]


outputs = [forward(torch.ones(3), torch.tensor(label)) for label in (1, 2)]
"""
VARIANTS = {
    "tensor-as-element": (
        """\
import torch


@torch.compile
def forward(x):
    return x[x.sum(1).argmax()] * 2


outputs = [forward(torch.arange(6.0).reshape(2, 3))]
""",
        """\
import torch


@torch.compile
def forward(x):
    y = x * 2
    y[y.sum(1).argmax()] = 0
    return y


outputs = [forward(torch.arange(6.0).reshape(2, 3))]
""",
        """\
import torch


@torch.compile
def forward(x, index):
    return x[:, index] * 2


outputs = [forward(torch.arange(6.0).reshape(2, 3), torch.tensor(1))]
""",
    ),
}
PAIRS = {
    "number-as-index": (
        (
            _ROW,
            _ROW.replace("int(x.sum(1).argmax())", "x.sum(1).argmax()").replace(
                "x[best]", "x[best.reshape(1)].squeeze(0)"
            ),
        ),
        (
            _LOOKED_UP,
            _LOOKED_UP.replace("forward(x, label):", "compute(x, weight):").replace(
                "    return x * weights[label.item()]\n",
                "    return x * weight\n\n\ndef forward(x, label):\n"
                "    return compute(x, torch.tensor(weights[label.item()]))\n",
            ),
        ),
    ),
}
