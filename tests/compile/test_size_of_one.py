"""What Inductor does with a size that only the call knows, where it turns out to be 1.

The advice to keep such sizes in the graph says so; where this fails, torch has changed it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

X = torch.arange(6.0)
THREE, ONE = torch.tensor(3), torch.tensor(1)
Function = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def squeezed(x: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    n = size.item()
    return x[:n].squeeze()


def of_another_dimension(x: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    n = size.item()
    return x[:n, None].squeeze(-1)


def checked(x: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    n = size.item()
    torch._check(n != 1)
    return x[:n].squeeze()


def broadcast(x: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    n = size.item()
    return x[:n] + x[3:]


def selected(x: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    return x[x < size].squeeze()


def bounded(x: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    n = size.item()
    torch._check(n >= 0)
    torch._check(n <= len(x))
    return x[:n] * torch.arange(n)


def compiled(function: Function) -> Function:
    torch._dynamo.reset()
    whole: Function = torch.compile(function, fullgraph=True)
    torch.testing.assert_close(whole(X, THREE), function(X, THREE))
    return whole


@pytest.mark.parametrize("function", [squeezed, selected])
def test_a_dimension_stays(function: Function) -> None:
    assert function(X, ONE).shape == ()
    assert compiled(function)(X, ONE).shape == (1,)


@pytest.mark.parametrize("function", [checked, broadcast])
def test_it_raises(function: Function) -> None:
    with pytest.raises(RuntimeError):
        compiled(function)(X, ONE)


@pytest.mark.parametrize("function", [of_another_dimension, bounded])
def test_it_is_the_same(function: Function) -> None:
    torch.testing.assert_close(compiled(function)(X, ONE), function(X, ONE))


def test_what_the_caller_makes_is_known() -> None:
    @torch.compile(fullgraph=True)
    def forward(x: torch.Tensor, n: int) -> torch.Tensor:
        return x[:n].squeeze()

    torch._dynamo.reset()
    assert [forward(X, n).shape for n in (3, 1, 4, 1)] == [(3,), (), (4,), ()]
