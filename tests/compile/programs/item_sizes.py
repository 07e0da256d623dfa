"""More programs for the advice of inspector/advice/item_sizes.py."""

from __future__ import annotations

from inspector.advice.number_checks import CAPTURED
from tests.compile.advised import decorated

_CUT = """\
import torch


@torch.compile
def forward(x, lengths):
    n = int((x > 0).sum())
    rows = int(lengths.max()) * 2
    summed = x.new_zeros(rows).index_add(0, lengths, x[:2])
    return x[:n] * n, torch.zeros(n, 2) + 1, summed, torch.arange(int(lengths.sum()))


lengths = torch.tensor([1, 2]), torch.tensor([3, 1]), torch.tensor([2, 2])
inputs = torch.arange(3.0), torch.arange(5.0).flip(0), -torch.ones(2)
outputs = [forward(*each) for each in zip(inputs, lengths)]
"""
_ONE = """\
import torch


@torch.compile
def forward(x):
    n = x.argmax().item()
    return x[:n].squeeze()


outputs = [forward(x) for x in (torch.arange(3.0), torch.arange(2.0), torch.arange(4.0))]
"""
_ONE_PASSED = """\
import torch


@torch.compile
def forward(x, n):
    return x[:n].squeeze()


inputs = torch.arange(3.0), torch.arange(2.0), torch.arange(4.0)
outputs = [forward(x, x.argmax().item()) for x in inputs]
"""
_ASSERTING = """\
import torch


@torch.compile
def forward(x, lengths):
    n, m = int(lengths.max()), x.shape[0]
    assert 2 <= n <= m and m < 99, f"not {n}"
    return torch.arange(n) * x[:n]


outputs = [forward(torch.arange(7.0), torch.tensor([n, 2])) for n in (3, 7, 5)]
"""
PAIRS = {
    "item-size": ((_CUT, decorated(_CUT, CAPTURED)), (_ONE, _ONE_PASSED)),
    "item-checked-size": (
        (
            _ASSERTING,
            decorated(
                _ASSERTING.replace(
                    'assert 2 <= n <= m and m < 99, f"not {n}"',
                    "torch._check(2 <= n)\n    torch._check(n <= m)\n    torch._check(m < 99)",
                ),
                CAPTURED,
            ),
        ),
    ),
}
