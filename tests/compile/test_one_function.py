"""A setting around the calls of what is compiled holds for these calls, and for no others."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import torch
from torch._dynamo.utils import counters

X = torch.arange(5.0).flip(0) + 1


class Cut(torch.nn.Module):
    """Cuts what it is given."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Sums what comes before the smallest."""
        return x[: x.argmin().item()].sum()


def breaks(call: Callable[[], object]) -> int:
    """How often a call breaks its graph."""
    counters.clear()
    call()
    return sum(counters["graph_break"].values())


@pytest.fixture(autouse=True)
def _afresh() -> None:
    torch._dynamo.reset()


def test_a_module_is_called_under_the_setting() -> None:
    model, other = (torch.compile(Cut(), backend="eager", dynamic=False) for _ in range(2))

    def call() -> None:
        with torch._dynamo.config.patch(capture_scalar_outputs=True):
            model(X)
            model(X[1:])  # is compiled anew

    assert breaks(call) == 0
    assert not torch._dynamo.config.capture_scalar_outputs
    torch._dynamo.reset()
    assert breaks(lambda: other(X)) == 1


def test_a_decorator_holds_in_the_thread_that_calls() -> None:
    @torch._dynamo.config.patch(capture_scalar_outputs=True)
    @torch.compile(backend="eager")
    def forward(x: torch.Tensor) -> torch.Tensor:
        return x[: x.argmin().item()].sum()

    def call() -> None:
        thread = threading.Thread(target=forward, args=(X,))
        thread.start()
        thread.join()

    assert breaks(call) == 0


@pytest.mark.parametrize("function", [lambda x: x[: x.argmin().item()].sum(), lambda x: x[x > 2]])
def test_a_whole_graph_needs_no_setting(function: Callable[[torch.Tensor], torch.Tensor]) -> None:
    whole = torch.compile(function, backend="eager", fullgraph=True)
    torch.testing.assert_close(whole(X), function(X))
