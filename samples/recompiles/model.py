"""A decoder that compiles again and again: numbered layers, a growing cache, a mode, a limit."""

from __future__ import annotations

import torch
from torch import Tensor, nn

WIDTH = 32


class Layer(nn.Module):
    """One layer of a decoder, which knows its own number and keeps what it has seen."""

    def __init__(self, layer_idx: int) -> None:
        super().__init__()
        self.layer_idx = layer_idx
        self.project = nn.Linear(WIDTH, WIDTH)

    def forward(self, hidden: Tensor, cache: Tensor) -> Tensor:
        """Attends to the cache; the scale depends on the layer's number."""
        scores = torch.softmax(hidden @ cache.transpose(0, 1) / (self.layer_idx + 1), dim=-1)
        return hidden + self.project(scores @ cache)


class Decoder(nn.Module):
    """Layers that are compiled each for itself, and share one code object."""

    def __init__(self, layers: int = 4) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(index) for index in range(layers))
        self.head = torch.compile(pool, backend="eager")
        for layer in self.layers:
            layer.compile(backend="eager")

    def forward(self, prompt: Tensor, steps: int, mode: str = "mean") -> Tensor:
        """Takes one step for each token: the cache grows by one row."""
        cache = prompt
        for _ in range(steps):
            hidden = cache[-1:]
            for layer in self.layers:
                hidden = layer(hidden, cache)
            cache = torch.cat([cache, hidden])
        return self.head(cache, mode)


def pool(cache: Tensor, mode: str) -> Tensor:
    """Pools the cache in one of two ways."""
    return cache.mean(0) if mode == "mean" else cache.amax(0)


torch.manual_seed(0)
model = Decoder().eval()
model.requires_grad_(requires_grad=False)


def get_inputs() -> list[dict[str, object]]:
    """Two prompts, and another way to pool."""
    generator = torch.Generator().manual_seed(0)
    prompt = torch.randn(2, WIDTH, generator=generator)
    return [
        {"prompt": prompt, "steps": 2},
        {"prompt": prompt, "steps": 3, "mode": "max"},
    ]
