"""More programs for the advice of inspector/advice/list_sizes.py."""

from __future__ import annotations

from inspector.advice.number_checks import CAPTURED
from tests.compile.advised import decorated


def _passed(program: str) -> str:
    """The same with the list made in the caller."""
    return (
        program.replace("lengths.tolist()", "sizes")
        .replace("lengths", "sizes")
        .replace("torch.tensor(n))", "torch.tensor(n).tolist())")
    )


_CUT = """\
import torch


@torch.compile
def forward(x, lengths):
    sizes = lengths.tolist()
    sums = torch.stack([x[row, :n].sum() for row, n in enumerate(sizes)])
    return sums, x.new_zeros(sizes), x.reshape(-1)[: sizes[0]] * 2


x = torch.arange(12.0).reshape(2, 6)
outputs = [forward(x, torch.tensor(n)) for n in ([1, 2], [4, 1], [5, 6])]
"""
_PADDED = """\
import torch


@torch.compile
def forward(x, lengths):
    parts = (x * 2).split(lengths.tolist())
    return torch.nn.utils.rnn.pad_sequence(parts, batch_first=True)


outputs = [forward(torch.arange(6.0), torch.tensor(n)) for n in ([1, 2, 3], [4, 1, 1])]
"""
PAIRS = {
    "tolist-sizes": ((_CUT, decorated(_CUT, CAPTURED)), (_PADDED, _passed(_PADDED))),
}
