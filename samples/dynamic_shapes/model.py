"""An encoder that is called with other sizes: batches, lengths, a last batch of one, a branch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

WIDTH = 16
LONG = 24


class Encoder(nn.Module):
    """A convolution over the sequence, and another way for long ones."""

    def __init__(self) -> None:
        super().__init__()
        self.mix = nn.Conv1d(WIDTH, WIDTH, 3, padding=1)
        self.project = nn.Linear(WIDTH, 4)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, length, width) → (batch, 4)."""
        if tokens.shape[1] > LONG:
            tokens = tokens[:, ::2]
        mixed = self.mix(tokens.transpose(1, 2)).relu()
        return self.project(mixed.mean(-1))


torch.manual_seed(0)
model = Encoder().eval()
model.requires_grad_(requires_grad=False)


def get_inputs() -> list[tuple[Tensor]]:
    """Batches of a day: the sizes change, the last one is a batch of one, one is long."""
    generator = torch.Generator().manual_seed(0)
    shapes = [(4, 12), (8, 12), (8, 16), (6, 20), (8, 32), (1, 12)]
    return [(torch.randn(*shape, WIDTH, generator=generator),) for shape in shapes]
