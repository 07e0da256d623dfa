"""More programs for the advice of inspector/advice/reported.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_WARNED = BY_ID["branch-report"].before


_PRINTED = _WARNED.replace('warnings.warn("large")', 'print("large", y.sum())')
VARIANTS = {
    "branch-report": (_PRINTED, _WARNED.replace("y.sum() > 10", "y.sum().item() > 10")),
    "branch-report-uncompiled": (_WARNED.replace("y.sum() > 10", "y.sum().item() > 10"),),
}
PAIRS = {
    "branch-report": (
        (
            _PRINTED,
            """\
import torch


@torch.compile
def compute(x):
    y = x * 2
    return y + 1, y.sum() > 10, y.sum().detach()


def forward(x):
    result, is_large, total = compute(x)
    if is_large:
        print("large", total)
    return result


outputs = [forward(x) for x in (torch.ones(3), torch.full((3,), 9.0))]
""",
        ),
    ),
}
