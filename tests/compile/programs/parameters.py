"""More programs for the advice of inspector/advice/gradients.py."""

from __future__ import annotations

VARIANTS = {
    "requires-grad": (
        """\
import torch


@torch.compile
def forward(x):
    return x.requires_grad_() * 2


outputs = [forward(torch.ones(3))]
""",
        """\
import torch


@torch.compile
def forward(x):
    y = x.detach().requires_grad_()
    return y * 2


outputs = [forward(torch.ones(3))]
""",
        """\
import torch


@torch.compile
def forward(x, layer):
    layer.requires_grad_(False)
    return layer(x)


outputs = [forward(torch.ones(3), torch.nn.Linear(3, 2))]
""",
    ),
}
