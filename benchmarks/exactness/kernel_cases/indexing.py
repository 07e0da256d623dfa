"""Indirect accesses: embeddings and their backward, gathers, scatters, masks, histograms."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.exactness.kernel_cases.case import INFERENCE, Case, case


def embedding(device: str) -> Case:
    class Embedding(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(1000, 64, padding_idx=0)
            self.places = nn.Embedding(32, 64)

        def forward(self, ids: Tensor) -> Tensor:
            places = torch.arange(ids.shape[1], device=ids.device)
            return self.words(ids) + self.places(places)

    return case(device, Embedding(), torch.randint(0, 1000, (4, 32)))


def embedding_half(device: str) -> Case:
    return case(device, nn.Embedding(500, 128).half(), torch.randint(0, 500, (8, 16)))


def embedding_bag(device: str) -> Case:
    return case(device, nn.EmbeddingBag(100, 32, mode="sum"), torch.randint(0, 100, (8, 5)))


def gathered(device: str) -> Case:
    def function(x: Tensor, index: Tensor) -> Tensor:
        return x.gather(1, index) * 2

    return case(device, function, torch.randn(32, 100), torch.randint(0, 100, (32, 10)))


def scattered(device: str) -> Case:
    def function(x: Tensor, index: Tensor, source: Tensor) -> tuple[Tensor, Tensor]:
        return x.scatter(1, index, source), x.scatter_add(1, index, source)

    return case(device, function, torch.randn(32, 100), torch.randint(0, 100, (32, 10)),
                torch.randn(32, 10))  # fmt: skip


def scatter_reduced(device: str) -> Case:
    def function(x: Tensor, index: Tensor, source: Tensor) -> Tensor:
        return x.scatter_reduce(0, index, source, reduce="amax")

    return case(device, function, torch.randn(50), torch.randint(0, 50, (200,)), torch.randn(200),
                passes=(INFERENCE,))  # fmt: skip


def index_put(device: str) -> Case:
    def function(x: Tensor, index: Tensor, values: Tensor) -> Tensor:
        return x.index_put((index,), values, accumulate=True) + 1

    return case(device, function, torch.randn(64, 32), torch.randint(0, 64, (20,)),
                torch.randn(20, 32))  # fmt: skip


def index_put_overwrite(device: str) -> Case:
    def function(x: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        y = x.clone()
        y[rows, columns] = 0.0
        return y * 2

    index = torch.randint(0, 32, (20,))
    return case(device, function, torch.randn(64, 32), index, index)


def index_add(device: str) -> Case:
    def function(x: Tensor, index: Tensor, source: Tensor) -> Tensor:
        return x.index_add(0, index, source, alpha=2.0)

    return case(device, function, torch.randn(16, 64), torch.randint(0, 16, (100,)),
                torch.randn(100, 64))  # fmt: skip


def index_selected(device: str) -> Case:
    def function(x: Tensor, index: Tensor) -> Tensor:
        return x[index].relu() + x.index_select(0, index)

    return case(device, function, torch.randn(128, 48), torch.randint(0, 128, (40,)))


def sliced(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        return x[:, 1:-1:2] + x[:, 0:1] + x.select(1, 3)[:, None]

    return case(device, function, torch.randn(16, 33, 8))


def slice_written(device: str) -> Case:
    def function(x: Tensor, y: Tensor) -> Tensor:
        z = torch.zeros_like(x)
        z[:, 2:10] = y
        z[:, :, 0] += 1
        return z * x

    return case(device, function, torch.randn(8, 20, 16), torch.randn(8, 8, 16))


def cache_written(device: str) -> Case:
    """A key/value cache, as decoders keep it."""

    class Cache(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("keys", torch.zeros(2, 4, 64, 32))

        def forward(self, key: Tensor, position: Tensor) -> Tensor:
            self.keys.index_copy_(2, position, key)
            return self.keys * 2

    return case(device, Cache(), torch.randn(2, 4, 1, 32), torch.tensor([5]), passes=(INFERENCE,))


def masked(device: str) -> Case:
    def function(x: Tensor, mask: Tensor) -> Tensor:
        return x.masked_fill(mask, float("-inf")).softmax(-1).tril()

    return case(device, function, torch.randn(4, 64, 64), torch.rand(4, 64, 64) > 0.5)


def one_hot(device: str) -> Case:
    def function(index: Tensor, weight: Tensor) -> Tensor:
        return functional.one_hot(index, 20).float() @ weight

    return case(device, function, torch.randint(0, 20, (40,)), torch.randn(20, 16))


def bucketed(device: str) -> Case:
    def function(x: Tensor, edges: Tensor) -> tuple[Tensor, Tensor]:
        found = torch.bucketize(x, edges)
        return found, torch.searchsorted(edges, x)

    return case(device, function, torch.rand(500), torch.linspace(0, 1, 30), passes=(INFERENCE,))


def unfolded(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        return functional.unfold(x, 3).relu().sum(-1)

    return case(device, function, torch.randn(2, 4, 16, 16))


def repeated(device: str) -> Case:
    def function(x: Tensor) -> Tensor:
        return x.repeat_interleave(3, 1) + x.repeat(1, 3, 1) + x[:, :1].expand(-1, 24, -1)

    return case(device, function, torch.randn(4, 8, 16))


def mixture_of_experts(device: str) -> Case:
    class Mixture(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.router = nn.Linear(64, 4)
            self.up = nn.Parameter(torch.randn(4, 64, 128) * 0.05)
            self.down = nn.Parameter(torch.randn(4, 128, 64) * 0.05)

        def forward(self, x: Tensor) -> Tensor:
            weights, chosen = self.router(x).softmax(-1).topk(2, -1)
            mask = torch.zeros(x.shape[0], 4, device=x.device).scatter_(1, chosen, weights)
            hidden = functional.silu(torch.einsum("td,edh->eth", x, self.up))
            return (torch.einsum("eth,ehd->etd", hidden, self.down) * mask.t()[..., None]).sum(0)

    return case(device, Mixture(), torch.randn(32, 64))
