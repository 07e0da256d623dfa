"""Programs that write what they are compiled for.

Behind a reset each does what is advised, and compiles once: what is expected is all there is.
"""

from __future__ import annotations

import functools
from collections import defaultdict, deque

import torch
from torch import Tensor, nn

from tests.compile.recompiles.table import Expected, program

compiled = functools.partial(torch.compile, backend="eager")
X = torch.ones(4)


def _thrice(module: nn.Module) -> list[object]:
    torch._dynamo.reset()
    module.compile(backend="eager")
    return [module(X) for _ in range(3)]


@program(
    Expected("container-keys", "self.history", "no keys", "keys 'loss_step'", "again",
             "itself makes self.history longer at", "module-attribute"),
    Expected("container-length", "self.history['loss_step']", "1", "2", "again",
             "Return the value, and add it in the caller", "module-attribute"),
)  # fmt: skip
def grown_by_key() -> None:
    """A list in a dict grows under a key that is made."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.history: dict[str, list[Tensor]] = defaultdict(list)

        def forward(self, x: Tensor) -> Tensor:
            self.history[f"{'loss'}_step"].append(x.sum())
            return x * 2

    class Advised(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            return x * 2, x.sum()

    _thrice(Net())
    _thrice(Advised())


@program(
    Expected("container-length", "self._modules['inner'].values", "1", "2", "again", "longer at",
             "module-attribute"),
    Expected("container-length", "self._modules['inner'].values", "2", "3", "again", "longer at",
             "module-attribute"),
)  # fmt: skip
def grown_within() -> None:
    """A queue of an inner module grows under another name."""

    class Inner(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.values = deque([X])

        def forward(self, x: Tensor) -> Tensor:
            values = self.values
            values.extend([x.sum()])
            return x * 2

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Inner()

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(x) + 1

    _thrice(Net())


@program(
    Expected("type", "self.seen", "16", "a tensor of float32[]", "again",
             "Seen.forward calls, sets self.seen at", "module-attribute"),
)  # fmt: skip
def set_to_another_type() -> None:
    """A method that the compiled one calls sets a number to a tensor."""

    class Seen(nn.Module):
        def __init__(self, first: float | Tensor) -> None:
            super().__init__()
            self.seen = first

        def forward(self, x: Tensor) -> Tensor:
            y = x * self.seen
            self.keep(y)
            return y

        def keep(self, y: Tensor) -> None:
            self.seen = y.sum()

    found = _thrice(Seen(16)), _thrice(Seen(torch.tensor(16, dtype=torch.float32)))
    assert all(map(torch.equal, *found))


@program(
    Expected("type", "flag", "True", "a tensor of bool[]", "again", "flag = bool(flag) before")
)
def bool_and_tensor() -> None:
    """What a branch decides by is a bool in one call and a tensor in another."""

    @compiled
    def step(x: Tensor, flag: bool | Tensor) -> Tensor:
        return x * 2 if flag else x + 1

    flags = True, torch.tensor(True)
    for flag in flags:
        step(X, flag)
    torch._dynamo.reset()
    for flag in flags:
        step(X, bool(flag))


@program(
    Expected("tensor-size", "x", "4", "1", "again", "Nothing needs fixing: prefill"),
    Expected("tensor-size", "past[0]", "4", "5", "dynamic", "are 3 programs, each compiled once"),
)
def cache_of_keys() -> None:
    """A cache is None at first, and longer by one in every call."""

    @compiled
    def step(x: Tensor, past: list[Tensor] | None) -> list[Tensor]:
        return [x * 2 if past is None else torch.cat((past[0], x))]

    past = step(torch.ones(4, 2), None)
    for _ in range(4):
        past = step(torch.ones(1, 2), past)


@program(
    *(
        Expected("int", "net.steps", str(n), str(n + 1), "again", "allow_unspec_int",
                 "module-attribute")
        for n in range(4)
    )
)  # fmt: skip
def counted_in_a_tensor() -> None:
    """Torch makes a symbol of what a tensor without dimensions holds; its type stays what it is."""

    class Counting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm, self.steps = nn.BatchNorm1d(2), 0

        def forward(self, x: Tensor) -> Tensor:
            self.steps += 1
            x = self.norm(x)
            if self.steps == 5:
                torch._dynamo.graph_break()
            return x

    net = Counting()

    @compiled
    def step(x: Tensor) -> Tensor:
        return net(x) * 2

    for _ in range(5):
        step(torch.ones(3, 2))
