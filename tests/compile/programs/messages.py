"""More programs for the advice of inspector/advice/logged_scalars.py."""

from __future__ import annotations

_LEAVES = """\
import torch


@torch.compile
def forward(x):
    y = x * 2
    if x.shape[0] > 3:
        raise ValueError(f"too long: {y.sum().item()}")
    return y


def run(x):
    try:
        return forward(x)
    except ValueError as error:
        return str(error)


outputs = [run(x) for x in (torch.ones(3), torch.arange(5.0))]
"""
PAIRS = {
    "item-in-error": (
        (
            _LEAVES,
            _LEAVES.replace(
                """\
    if x.shape[0] > 3:
        raise ValueError(f"too long: {y.sum().item()}")
    return y
""",
                "    return y, y.sum().detach()\n",
            ).replace(
                """\
    try:
        return forward(x)
""",
                """\
    y, total = forward(x)
    try:
        if x.shape[0] > 3:
            raise ValueError(f"too long: {total.item()}")
        return y
""",
            ),
        ),
    ),
}
