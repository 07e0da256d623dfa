"""Programs in which a tensor changes."""

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
    Expected("tensor-size", "x", "4", "5", "again", "mark_dynamic(a, 0)"),
    Expected("tensor-size", "x", "5", "6", "again", "mark_dynamic(a, 0)"),
)
def size_of_static() -> None:
    """``dynamic=False``: one compilation for each size."""

    @functools.partial(compiled, dynamic=False)
    def double(x: Tensor) -> Tensor:
        return x * 2

    for rows in (4, 5, 6):
        a = torch.ones(rows, 3)
        double(a)


@program(
    Expected("tensor-size", "x", "4", "7", "dynamic", "and no mark makes one of the two"),
    Expected("symbolic-shape", "x.size()[0]", "6 <= x.size()[0]", "x.size()[0] = 3", "dynamic",
             "each side is a program of its own"),
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
    Expected("tensor-size", "x", "8", "7", "dynamic", "mark_dynamic(a, 0)"),
)
def size_within_a_condition() -> None:
    """Two sizes on one side: one program for both."""

    @compiled
    def signed(x: Tensor) -> Tensor:
        if x.shape[0] > 5:
            return x * 2
        return x - 1

    for rows in (8, 7):
        a = torch.ones(rows, 3)
        signed(a)


@program(
    Expected("tensor-size", "x", "4", "5", "dynamic", "mark_dynamic(a, 0)"),
    Expected("symbolic-shape", "x.size()[0]", "2 <= x.size()[0]", "x.size()[0] = 1", "again",
             "mark_unbacked(a, 0)"),
)  # fmt: skip
def size_one() -> None:
    """A batch of one gets a graph of its own."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    for rows in (4, 5, 1):
        a = torch.ones(rows, 3)
        double(a)


@program(Expected("tensor-size", "x", "1", "4", "dynamic", "mark_unbacked(a, 0)"))
def first_one() -> None:
    """The first batch has one row."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    for rows in (1, 4, 5):
        a = torch.ones(rows, 3)
        double(a)


@program(Expected("tensor-stride", "x", "3", "1", "dynamic", "a = a.contiguous()"))
def stride() -> None:
    """The same sizes, transposed."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    for a in (torch.ones(4, 3), torch.ones(3, 4).t()):
        double(a)


@program(Expected("tensor-stride", "x", "20", "1", "again", "a = a.contiguous()"))
def channels_last() -> None:
    """Another memory format."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    image = torch.ones(2, 3, 4, 5)
    for a in (image, image.contiguous(memory_format=torch.channels_last)):
        double(a)


@program(Expected("tensor-dtype", "x", "Float", "Double", "again", "a = a.to(torch.float32)"))
def dtype() -> None:
    """Another dtype."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    for a in (torch.ones(4), torch.ones(4, dtype=torch.float64)):
        double(a)


@program(
    Expected("tensor-device", "x",
             "DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU)",
             "DispatchKeySet(Meta, BackendSelect, ADInplaceOrView, AutogradMeta)", "again",
             'a = a.to("cpu")'),
)  # fmt: skip
def device() -> None:
    """Another device."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    for a in (torch.ones(4), torch.ones(4, device="meta")):
        double(a)


@program(
    Expected("tensor-layout", "x",
             "DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU)",
             "DispatchKeySet(SparseCPU, BackendSelect, ADInplaceOrView, AutogradCPU)", "eager",
             "a.to_dense()"),
)  # fmt: skip
def layout() -> None:
    """A sparse tensor (which breaks the graph)."""

    @compiled
    def total(x: Tensor) -> Tensor:
        return x.sum()

    for a in (torch.ones(4, 3), torch.ones(4, 3).to_sparse()):
        total(a)


@program(Expected("tensor-rank", "x", "2", "3", "again", "a.reshape(…)"))
def rank() -> None:
    """Another number of dimensions."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    for a in (torch.ones(4, 3), torch.ones(4, 3, 2)):
        double(a)


@program(Expected("tensor-requires-grad", "x", "0", "1", "again", "pass a.detach() as x"))
def requires_grad() -> None:
    """With a gradient, and without."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    for a in (torch.ones(4), torch.ones(4, requires_grad=True)):
        double(a)


@program(
    Expected("tensor-requires-grad", "state[0]", "0", "1", "again",
             "pass state with state[0].detach() in place of state[0] and state[1].detach() in"),
)  # fmt: skip
def state_with_a_history() -> None:
    """What one call gives is what the next one takes, as a pair."""

    @compiled
    def step(x: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        hidden, cell = state
        hidden = torch.tanh(x + hidden)
        return hidden, cell + hidden

    weight = torch.ones(3, requires_grad=True)
    state = torch.zeros(3), torch.zeros(3)
    for _ in range(3):
        state = step(weight * 2, state)
    state[1].sum().backward()


@program(
    Expected("tensor-dispatch-keys", "x",
             "DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU)",
             "DispatchKeySet(CPU, BackendSelect, Conjugate, ADInplaceOrView, AutogradCPU)",
             "again", "a.resolve_conj()"),
)  # fmt: skip
def conjugated() -> None:
    """A view that is conjugated lazily."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    z = torch.ones(4, dtype=torch.complex64)
    for a in (z, z.conj()):
        double(a)


@program(
    Expected(
        "tensor-aliasing", None, "distinct tensors", "x, y are one", "again", "distinct", "unknown"
    ),
)
def same_tensor_twice() -> None:
    """Two inputs become one."""

    @compiled
    def add(x: Tensor, y: Tensor) -> Tensor:
        return x.add_(1) + y

    a = torch.ones(4)
    add(a, torch.ones(4))
    add(a, a)


@program(
    Expected("tensor-aliasing", "x", "x is y", "x is not y", "again",
             "an earlier one has one tensor as both x and y; pass a clone() of it as x there"),
)  # fmt: skip
def no_longer_the_same() -> None:
    """One input becomes two."""

    @compiled
    def add(x: Tensor, y: Tensor) -> Tensor:
        return x.add_(1) + y

    a = torch.ones(4)
    add(a, a)
    add(a, torch.ones(4))


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


@program(
    Expected("symbolic-shape", "x.size()[0]", "(x.size()[0] % 2) == 0", "x.size()[0] = 9",
             "dynamic", "x.shape[0] % 2"),
)  # fmt: skip
def divisible() -> None:
    """A size that has to be even."""

    @functools.partial(compiled, dynamic=True)
    def halves(x: Tensor) -> Tensor:
        return x.view(2, -1) if x.shape[0] % 2 == 0 else x

    halves(torch.ones(8))
    halves(torch.ones(9))


@program(Expected("tensor-size", "x", "8", "9", "dynamic", "treats a size apart"))
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

    total(torch.ones(8, 3), torch.ones(8))
    total(torch.ones(9, 3), torch.ones(8))


@program(
    Expected("tensor-size", "self._parameters['weight']", "3", "4", "again",
             "force_parameter_static_shapes", "module-attribute"),
)  # fmt: skip
def parameter_size() -> None:
    """Modules of other widths share a code object."""

    class Scale(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(width))

        def forward(self, x: Tensor) -> Tensor:
            return x.sum() * self.weight

    for width in (3, 4):
        module = Scale(width)
        module.compile(backend="eager")
        module(torch.ones(4))


@program(
    Expected("tensor-size", "self.cache", "2", "3", "dynamic", "mark_dynamic(cached.cache, 0)",
             "module-attribute"),
)  # fmt: skip
def growing_cache() -> None:
    """A module keeps what it has seen."""

    class Cached(nn.Module):
        cache: Any

        def __init__(self) -> None:
            super().__init__()
            self.cache = torch.ones(2, 4)

        def forward(self, x: Tensor) -> Tensor:
            self.cache = torch.cat([self.cache, x])
            return self.cache.sum(0)

    cached = Cached()
    cached.compile(backend="eager")
    for _ in range(4):
        cached(torch.ones(1, 4))


@program(Expected("tensor-size", "k", "2", "3", "dynamic", "mark_dynamic(keys, 0)"))
def growing_argument() -> None:
    """A cache that is passed."""

    @compiled
    def attend(q: Tensor, k: Tensor) -> Tensor:
        return q @ k.transpose(0, 1)

    keys = torch.ones(2, 4)
    for _ in range(4):
        attend(torch.ones(1, 4), keys)
        keys = torch.cat([keys, torch.ones(1, 4)])


@program(
    Expected("type", "x", "a tensor", "torch.nn.parameter.Parameter", "again", "of one type"),
)
def parameter_for_tensor() -> None:
    """A parameter in place of a tensor."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    double(torch.ones(4))
    double(nn.Parameter(torch.ones(4)))


@program(
    Expected("tensor-dtype", "G['SHARED']", "Float", "Double", "again", "torch.float32", "global")
)
def global_tensor() -> None:
    """A global tensor is replaced."""
    global SHARED

    @compiled
    def scale(x: Tensor) -> Tensor:
        return x * SHARED

    SHARED = torch.ones(3)
    scale(torch.ones(3))
    SHARED = torch.ones(3, dtype=torch.float64)
    scale(torch.ones(3))


SHARED = torch.ones(3)


@program(
    *(
        Expected("int", "t.item()", before, now, "again", "table[t.reshape(1)].squeeze(0)")
        for before, now in (("40", "20"), ("20", "0"))
    )
)
def tensor_as_index() -> None:
    """A step of a sampler: the tensor has no dimension, and its value becomes a constant."""
    table = torch.linspace(1, 0, 100)

    @compiled
    def scaled(x: Tensor, t: Tensor) -> Tensor:
        return x.sin() * table[t]

    for step in (40, 20, 0):
        scaled(torch.ones(4), torch.tensor(step))
