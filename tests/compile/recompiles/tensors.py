"""Programs in which a tensor changes: all but its sizes."""

from __future__ import annotations

import functools

import torch
from torch import Tensor

from tests.compile.recompiles.table import Expected, program

compiled = functools.partial(torch.compile, backend="eager")


@program(Expected("tensor-stride", "x", "3", "1", "dynamic", "a = a.contiguous()"))
def stride() -> None:
    """The same sizes, transposed."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    for a in (torch.ones(4, 3), torch.ones(3, 4).t()):
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


@program(Expected("tensor-rank", "x", "2", "3", "again", "give a 3 dimensions in every call"))
def rank() -> None:
    """Another number of dimensions."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    for a in (torch.ones(4, 3), torch.ones(4, 3, 2)):
        double(a)


@program(Expected("tensor-requires-grad", "x", "0", "1", "again", "pass a.detach() in"))
def requires_grad() -> None:
    """With a gradient, and without."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    for a in (torch.ones(4), torch.ones(4, requires_grad=True)):
        double(a)


@program(
    Expected("tensor-requires-grad", "state[0]", "0", "1", "again",
             "pass state[0].detach(), state[1].detach() in the call"),
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
    )
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
             "An earlier call passes one tensor as both x and y: pass a clone() of it as x there"),
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
    Expected("int", "pos.item()", "3", "5", "again", "cache[pos.reshape(1)] = x.sin() in place of")
)
def written_through_an_index() -> None:
    """The element is a view; an element that is read with one dimension more would be a copy."""
    cache = torch.zeros(10, 4)

    @compiled
    def put(x: Tensor, pos: Tensor) -> Tensor:
        cache[pos].copy_(x.sin())
        return x * 2

    for step in (3, 5):
        put(torch.ones(4), torch.tensor(step))


@program(Expected("int", "pos.item()", "3", "5", "again", "is specialized on 3"))
def written_in_part_through_an_index() -> None:
    """For what is written to in part there is no such line."""
    cache = torch.zeros(10, 4)

    @compiled
    def put(x: Tensor, pos: Tensor) -> Tensor:
        cache[pos][1:] = x[1:].sin()
        return x * 2

    for step in (3, 5):
        put(torch.ones(4), torch.tensor(step))


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
