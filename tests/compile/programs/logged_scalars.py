"""More programs for the advice of inspector/advice/logged_scalars.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_PROGRAM = BY_ID["item-told"].before


_KEPT = """\
import torch

history = []


@torch.compile
def forward(x):
    y = x * 2
    history.append(y.max().item())
    return y + 1


outputs = [*(forward(x) for x in (torch.ones(3), torch.arange(3.0))), history]
"""
_STATISTICS = """\
import torch


@torch.compile
def forward(x):
    y = x * 2
    return y + 1, {"mean": y.mean().item(), "largest": float(y.max())}


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
"""
VARIANTS = {
    "item-told": (
        _PROGRAM.replace('f"the sum is {total:.1f}"', '"the sum is " + str(round(total, 1))'),
    ),
}
PAIRS = {
    "item-told": (
        (
            _KEPT,
            _KEPT.replace("y.max().item()", "y.max().detach()").replace(
                ", history]", ", [each.item() for each in history]]"
            ),
        ),
        (
            _STATISTICS,
            _STATISTICS.replace("def forward", "def compute")
            .replace("y.mean().item()", "y.mean().detach()")
            .replace("float(y.max())", "y.max().detach()")
            .replace(
                "\n\noutputs",
                "\n\ndef forward(x):\n    result, told = compute(x)\n"
                "    return result, {name: value.item() for name, value in told.items()}\n"
                "\n\noutputs",
            ),
        ),
    ),
}
