"""Compilations that fail: nothing is kept of them, and the next call compiles again."""

from __future__ import annotations

import contextlib

import torch
from torch import Tensor, nn

from tests.compile.recompiles.table import Expected, program

X = torch.ones(4)
MEND = "failing.py:"


@program(
    Expected("bool", "is_loud", "False", "True", "failed", MEND),
    Expected("bool", "is_loud", "False", "True", "failed", MEND),
)
def refused_on_one_side() -> None:
    """What was compiled for the other side is kept, and no second program comes of this one."""

    @torch.compile(backend="eager", fullgraph=True)
    def sometimes(x: Tensor, is_loud: bool) -> Tensor:
        if is_loud:
            print("not traced")
        return x * 2

    for is_loud in (False, True, True, False):
        with contextlib.suppress(torch._dynamo.exc.Unsupported):
            sometimes(X, is_loud)


@program(
    Expected("nothing-kept", None, None, None, "failed", "the compile error", "unknown"),
    Expected("nothing-kept", None, None, None, "again", "", "unknown"),
)
def a_backend_that_raises_twice() -> None:
    """The third call compiles for good: nothing of the first two is there to be found."""
    raised = []

    def backend(graph: nn.Module, _inputs: object) -> object:
        if len(raised) < 2:
            raised.append(graph)
            raise RuntimeError("not yet")
        return graph.forward

    @torch.compile(backend=backend)
    def double(x: Tensor) -> Tensor:
        return x * 2

    for _ in range(3):
        with contextlib.suppress(torch._dynamo.exc.BackendCompilerFailed):
            double(X)
