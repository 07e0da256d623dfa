"""More programs for the advice of inspector/advice/caught.py."""

from __future__ import annotations

_BELOW = """\
import torch


def root(x):
    if x.min() < 0:
        raise ValueError("negative")
    return x.sqrt()


@torch.compile
def forward(x):
    try:
        y = root(x)
    except ValueError:
        y = x * 2
    return y + 1


outputs = [forward(x) for x in (torch.ones(3), -torch.ones(3))]
"""
_SUPPRESSED = _BELOW.replace("import torch\n", "import contextlib\nimport torch\n", 1).replace(
    """\
    try:
        y = root(x)
    except ValueError:
        y = x * 2
""",
    """\
    y = x * 2
    with contextlib.suppress(ValueError):
        y = root(x)
""",
)
VARIANTS = {
    "branch-raise-caught": (
        _BELOW,
        _SUPPRESSED,
        _BELOW.replace("x.min() < 0", "x.min().item() < 0"),
    ),
}
PAIRS = {
    "branch-raise-caught": (
        (
            _BELOW,
            """\
import torch


def root(x):
    negative = x.min() < 0
    return negative, torch.where(negative, torch.ones_like(x), x).sqrt()


@torch.compile
def forward(x):
    negative, y = root(x)
    y = torch.where(negative, x * 2, y)
    return y + 1


outputs = [forward(x) for x in (torch.ones(3), -torch.ones(3))]
""",
        ),
    ),
}
