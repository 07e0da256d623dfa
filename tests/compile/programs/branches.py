"""More programs for the advice of inspector/advice/branches.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_IF = BY_ID["branch-where"].before


# Two Python numbers have more digits than a tensor of the default dtype.
_IF_NUMBERS = """\
import torch


@torch.compile
def forward(x):
    rate = 0.1 if x.sum() > 0 else 0.01
    return x * rate


floats = torch.arange(3.0)
outputs = [forward(x) for x in (floats.double(), -floats.double(), floats, floats.half())]
"""
_WHERE_NUMBERS = _IF_NUMBERS.replace(
    "0.1 if x.sum() > 0 else 0.01",
    "torch.where(x.sum() > 0, x.new_tensor(0.1), x.new_tensor(0.01))",
)
VARIANTS = {
    "branch-cond": (_IF.replace("max()", "max().item()"),),
}
PAIRS = {
    "branch-where": ((_IF_NUMBERS, _WHERE_NUMBERS),),
}
