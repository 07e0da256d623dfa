"""More programs for the advice of inspector/advice/lengths.py."""

from __future__ import annotations


def _sliced(reduced: str) -> str:
    return f"""\
import torch


@torch.compile
def forward(x, length):
    return {reduced}


outputs = [forward(torch.arange(4.0) - 5, torch.tensor(n)) for n in (2, 3, 4)]
"""


def _masked(reduced: str) -> str:
    beyond = "    beyond = torch.arange(x.shape[0], device=x.device) >= length\n"
    return _sliced(reduced).replace("    return", f"{beyond}    return")


PAIRS = {
    "tensor-as-length": (
        (
            _sliced("x[:length].mean()"),
            _masked("x.masked_fill(beyond, 0).sum() / length"),
        ),
        (
            _sliced("torch.max(x[:length])"),
            _masked("torch.max(x.masked_fill(beyond, float('-inf')))"),
        ),
        (
            _sliced("x[:length].argmin()"),
            _masked("x.masked_fill(beyond, float('inf')).argmin()"),
        ),
        (_sliced("x[:length].prod()"), _masked("x.masked_fill(beyond, 1).prod()")),
        (
            _sliced("torch.softmax(x[:length], 0).square().sum()"),
            _masked("torch.softmax(x.masked_fill(beyond, float('-inf')), 0).square().sum()"),
        ),
        (
            _sliced("x[:length].std()"),
            _masked("_std(x, length, beyond)").replace(
                "\n\n@torch",
                """
def _std(x, n, beyond):
    mean = x.masked_fill(beyond, 0).sum() / n
    return ((x - mean).square().masked_fill(beyond, 0).sum() / (n - 1)).sqrt()


@torch""",
                1,
            ),
        ),
    ),
}
