"""Programs in which the size of a tensor changes."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import Tensor, nn

from tests.compile.recompiles.table import Expected, program

compiled = functools.partial(torch.compile, backend="eager")


@program(Expected("tensor-size", "x", "4", "5", "dynamic", "mark_dynamic(a, 0)"))
def size() -> None:
    """A batch that grows; the third size is found."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    for rows in (4, 5, 6):
        a = torch.ones(rows, 3)
        double(a)


@program(
    Expected("tensor-size", "x", "4", "7", "dynamic", "and no mark merges them"),
    Expected("symbolic-shape", "x.size()[0]", "6 <= x.size()[0]", "x.size()[0] = 3", "dynamic",
             "each side is compiled once"),
)  # fmt: skip
def size_beyond_a_condition() -> None:
    """Two sizes on two sides of a condition, and a third on the side that was static."""

    @compiled
    def signed(x: Tensor) -> Tensor:
        if x.shape[0] > 5:
            return x * 2
        return x - 1

    for rows in (4, 7, 3):
        a = torch.ones(rows, 3)
        signed(a)


@program(
    Expected("tensor-size", "x", "7", "9", "dynamic", "mark_dynamic(a, 0)"),
    Expected("symbolic-shape", "x.size()[0]", "(x.size()[0] // 2) == 4", "x.size()[0] = 13",
             "dynamic", "Pad the input to a few sizes"),
    Expected("symbolic-shape", "x.size()[0]", "(x.size()[0] // 2) == 6", "x.size()[0] = 17",
             "dynamic", "Pad the input to a few sizes"),
)  # fmt: skip
def size_that_the_backend_needs() -> None:
    """The backend makes a number of it, as Inductor does for the backward of a convolution."""

    def halved(graph: torch.fx.GraphModule, inputs: list[Any]) -> Any:
        for item in inputs:
            if isinstance(item, torch.SymInt):
                int(item // 2)
        return graph.forward

    @torch.compile(backend=halved)
    def double(x: Tensor) -> Tensor:
        return x * 2

    for rows in (7, 9, 13, 17):
        a = torch.ones(rows, 3)
        double(a)


@program(Expected("tensor-size", "x", "1", "4", "dynamic", "(pad the input)"))
def first_one() -> None:
    """The first batch has one row."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    for rows in (1, 4, 5):
        a = torch.ones(rows, 3)
        double(a)


@program(
    Expected(
        "dimension-marks", None, "absent", "present", "again", "from the first call", "unknown"
    )
)
def marked_late() -> None:
    """A mark that the first call did not have."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    double(torch.ones(4, 3))
    a = torch.ones(4, 3)
    torch._dynamo.mark_dynamic(a, 0)
    double(a)


@program(
    Expected("symbolic-shape", "x.size()[0]", "2 <= x.size()[0] <= 5", "x.size()[0] = 8",
             "dynamic", "if x.shape[0] > 5"),
)  # fmt: skip
def branch_on_size() -> None:
    """Two sides of a branch."""

    @functools.partial(compiled, dynamic=True)
    def branch(x: Tensor) -> Tensor:
        if x.shape[0] > 5:
            return x * 2
        return x + 1

    branch(torch.ones(4, 3))
    branch(torch.ones(8, 3))


@program(Expected("tensor-size", "x", "8", "9", "dynamic", "treats one size specially"))
def specialized() -> None:
    """A line makes the size a constant."""

    @functools.partial(compiled, dynamic=True)
    def only_eight(x: Tensor) -> Tensor:
        if x.shape[0] == 8:
            return x * 2
        return x

    only_eight(torch.ones(8, 3))
    only_eight(torch.ones(9, 3))


@program(
    Expected("symbolic-shape", "y.size()[0]", "y.size()[0] == x.size()[0]",
             "y.size()[0] = 8, x.size()[0] = 9", "dynamic", "use_duck_shape"),
)  # fmt: skip
def duck_shape() -> None:
    """Sizes that were equal by chance."""

    @functools.partial(compiled, dynamic=True)
    def total(x: Tensor, y: Tensor) -> Tensor:
        return x.sum() + y.sum()

    for n in (8, 9):
        total(torch.ones(n, 3), torch.ones(8))


@program(
    Expected("tensor-size", "x", "8", "12", "dynamic", "mark_dynamic(x_given, 0)"),
)  # fmt: skip
def batch_as_wide_as_a_weight() -> None:
    """The first batch has the size of a weight, which makes the symbol of both a constant."""
    weight = nn.Parameter(torch.ones(8, 2))

    @functools.partial(compiled, dynamic=True)
    def project(x: Tensor) -> Tensor:
        return x @ weight

    for n in (8, 12, 6, 10):
        project(torch.ones(n, 8))


@program(
    Expected("symbolic-shape", "k.size()[3]", "k.size()[3] == k.size()[2]",
             "k.size()[3] = 4, k.size()[2] = 6", "dynamic", "mark_dynamic(q, 2)"),
)  # fmt: skip
def sequence_as_long_as_a_head() -> None:
    """All three inputs have to be marked, as one symbol is for all of their sizes."""

    @functools.partial(compiled, dynamic=True)
    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return (q @ k.transpose(-1, -2)).softmax(-1) @ v

    for n in (4, 6, 8):
        q = torch.ones(2, 3, n, 4)
        k, v = q + 1, q + 2
        attend(q, k, v)


@program(
    Expected("tensor-size", "self.keys", "0", "1", "again", "makes self.keys longer in every call",
             "module-attribute"),
    Expected("tensor-size", "self.keys", "1", "2", "dynamic", "write into it with `index_copy_`",
             "module-attribute"),
)  # fmt: skip
def cache_from_nothing() -> None:
    """A module appends to a tensor that is empty at first: three programs, and no more."""

    class Cached(nn.Module):
        keys: Any

        def __init__(self) -> None:
            super().__init__()
            self.keys = torch.ones(0, 4)

        def forward(self, x: Tensor) -> Tensor:
            self.keys = torch.cat([self.keys, x])
            return self.keys.sum(0)

    cached = Cached()
    cached.compile(backend="eager")
    for _ in range(5):
        cached(torch.ones(1, 4))
