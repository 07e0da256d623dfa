"""More programs for the advice of inspector/advice/printing.py."""

from __future__ import annotations

_PRINT_IN_PLACE = """\
import torch


@torch.compile
def forward(x):
    y = x * 2
    print(y.detach())
    y.add_(1)
    return y


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
"""
_RETURN_IN_PLACE = """\
import torch


@torch.compile
def compute(x):
    y = x * 2
    seen = y.detach().clone()
    y.add_(1)
    return y, seen


def forward(x):
    result, seen = compute(x)
    print(seen)
    return result


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
"""
_PRINT_LOOP = """\
import torch


@torch.compile
def forward(x):
    for index in range(3):
        x = x * 2
        print(index, x.detach().sum())
    return x


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
"""
_RETURN_LOOP = """\
import torch


@torch.compile
def compute(x):
    sums = []
    for _ in range(3):
        x = x * 2
        sums.append(x.detach().sum())
    return x, sums


def forward(x):
    result, sums = compute(x)
    for index, total in enumerate(sums):
        print(index, total)
    return result


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
"""
PAIRS = {
    "print": ((_PRINT_IN_PLACE, _RETURN_IN_PLACE), (_PRINT_LOOP, _RETURN_LOOP)),
}
