"""A look at a frame in which there is nothing to compile is no compilation."""

from __future__ import annotations

import pytest
import torch

from inspector.capture.versions import compilations


@pytest.fixture(autouse=True)
def _fresh() -> None:
    torch._dynamo.reset()


@torch.compiler.disable(recursive=False)
def _left_out(x: torch.Tensor) -> torch.Tensor:
    return _inner(x) + 1


def _inner(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x)


def test_a_function_that_is_left_out_compiles_nothing_in_later_calls() -> None:
    compiled = torch.compile(lambda x: _left_out(x.cos()) * 2, backend="eager")
    compiled(torch.ones(3))
    before = compilations()
    assert before
    looked_at = torch._dynamo.utils.counters["frames"]["total"]
    compiled(torch.ones(3))
    assert torch._dynamo.utils.counters["frames"]["total"] > looked_at
    assert compilations() == before


def test_what_is_compiled_again_counts() -> None:
    compiled = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
    found = []
    for size in (2, 3, 3, 4):
        compiled(torch.ones(size))
        found.append(compilations())
    assert found == [1, 2, 2, 3]
