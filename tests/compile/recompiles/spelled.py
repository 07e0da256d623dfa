"""Programs whose call spells the input in another way, and in which several things change."""

from __future__ import annotations

import collections
import functools
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from tests.compile.recompiles.table import Expected, program

compiled = functools.partial(torch.compile, backend="eager")
SEEN = collections.Counter(a=0)


@program(
    Expected("tensor-size", "x", "4", "5", "dynamic",
             "mark_dynamic(a, 0) and torch._dynamo.mark_dynamic(b, 0)"),
)  # fmt: skip
def two_inputs() -> None:
    """Two inputs of one batch: marking one of them alone is an error."""

    @compiled
    def add(x: Tensor, y: Tensor) -> Tensor:
        return x + y

    for rows in (4, 5, 6):
        a, b = torch.ones(rows, 3), torch.ones(rows, 3)
        add(a, b)


@program(
    Expected("tensor-size", "k", "4", "6", "dynamic",
             "clone() of it as k there, if the function writes to neither. Because k.size(0) and "
             "q.size(0) change as well, call torch._dynamo.mark_dynamic(k, 0) and "
             "torch._dynamo.mark_dynamic(q, 0)"),
)  # fmt: skip
def one_tensor_as_two() -> None:
    """What was compiled before looks at one of them alone: it was both."""

    @compiled
    def attend(q: Tensor, k: Tensor) -> Tensor:
        return q @ k.t()

    x = torch.ones(4, 3)
    attend(x, x)
    q, k = torch.ones(6, 3), torch.ones(6, 3)
    attend(q, k)


@program(
    Expected("int", "self.step", "0", "1", "again", "add it in the caller after the call",
             "module-attribute"),
    Expected("int", "self.step", "1", "2", "again", "add it in the caller after the call",
             "module-attribute"),
)  # fmt: skip
def list_and_counter() -> None:
    """A list grows beside the counter: mending the counter alone helps in nothing."""

    class Cached(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cache: list[Tensor] = []
            self.step = 0

        def forward(self, x: Tensor) -> Tensor:
            self.cache.append(x)
            self.step += 1
            return torch.stack(self.cache).sum()

    cached = Cached()
    cached.compile(backend="eager")
    for _ in range(3):
        cached(torch.ones(2))


@program(
    Expected("none", "self.table", "None", "a tensor of float32[2]", "again",
             "set it before the first call", "module-attribute"),
)  # fmt: skip
def made_in_the_first_call() -> None:
    """Zeros in the place of what the function makes itself would never be replaced."""

    class Lazy(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(2, 2)
            self.table: Tensor | None = None

        def forward(self, x: Tensor) -> Tensor:
            if self.table is None:
                self.table = torch.arange(2.0)
            result: Tensor = self.linear(x) + self.table
            return result

    lazy = Lazy()
    lazy.compile(backend="eager")
    for _ in range(3):
        lazy(torch.ones(2))


@program(
    Expected("tensor-requires-grad", "self._buffers['mean']", "0", "1", "again",
             "assign the result's .detach() there", "module-attribute"),
)  # fmt: skip
def mean_with_a_history() -> None:
    """A running mean of which nobody took the history."""

    class Mean(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(2, 2)
            self.register_buffer("mean", torch.zeros(2))

        def forward(self, x: Tensor) -> Tensor:
            result: Tensor = self.linear(x)
            self.mean = 0.9 * self.mean + 0.1 * result
            return result - self.mean

    mean = Mean()
    mean.compile(backend="eager")
    for _ in range(3):
        mean(torch.ones(2))


@program(
    Expected("tensor-dtype", "x", "Float", "Double", "again", "this is another module, or a"),
)  # fmt: skip
def module_of_another_dtype() -> None:
    """The input's dtype follows the module's."""

    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(2))

        def forward(self, x: Tensor) -> Tensor:
            return x * self.weight

    scaled = Scaled()
    scaled.compile(backend="eager")
    scaled(torch.ones(2))
    scaled.double()
    scaled(torch.ones(2).double())


@program(
    Expected("tensor-size", "x", "4", "5", "dynamic",
             "mark_dynamic(batch['x'], 0) and torch._dynamo.mark_dynamic(batch['y'], 0)"),
)  # fmt: skip
def by_keywords() -> None:
    """A dict of arguments."""

    @compiled
    def add(x: Tensor, y: Tensor) -> Tensor:
        return x + y

    for rows in (4, 5, 6):
        batch = {"x": torch.ones(rows, 3), "y": torch.ones(rows, 3)}
        add(**batch)


@program(
    Expected("tensor-size", "x", "4", "5", "dynamic",
             "mark_dynamic(data[0], 0) and torch._dynamo.mark_dynamic(data[1], 0)"),
)  # fmt: skip
def by_star() -> None:
    """A list of arguments."""

    @compiled
    def add(x: Tensor, y: Tensor) -> Tensor:
        return x + y

    for rows in (4, 5, 6):
        data = [torch.ones(rows, 3), torch.ones(rows, 3)]
        add(*data)


@program(Expected("float", "self.scale", "1.5", "2.5", "dynamic", "Make self.scale a tensor",
                  "module-attribute"))  # fmt: skip
def float_attribute() -> None:
    """A schedule changes a module's float."""

    class Scaled(nn.Module):
        scale: Any

        def __init__(self) -> None:
            super().__init__()
            self.scale = 1.5

        def forward(self, x: Tensor) -> Tensor:
            return x * self.scale

    scaled = Scaled()
    scaled.compile(backend="eager")
    for scale in (1.5, 2.5, 3.5):
        scaled.scale = scale
        scaled(torch.ones(2))


@program(Expected("container-keys", "s", "{'b'}", "{'b', 'c'}", "again", "pass that as a bool"))
def whole_set() -> None:
    """A set that is a constant of the graph."""

    @compiled
    def has(x: Tensor, s: set[str]) -> Tensor:
        return x + 1 if "a" in s else x - 1

    has(torch.ones(3), {"b"})
    has(torch.ones(3), {"b", "c"})


@program(
    Expected("int", "G['__import_torch_dot_nn_dot_utils_dot_parametrize']._cache_enabled",
             "0", "1", "again", "parametrize._cache_enabled is torch's own state", "global"),
)  # fmt: skip
def torchs_own_state() -> None:
    """Under a context manager of torch's, which counts in a global how deep it is."""

    class Halved(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x / 2

    linear = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Halved())

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = linear

        def forward(self, x: Tensor) -> Tensor:
            result: Tensor = self.linear(x)
            return result

    net = Net()
    net.compile(backend="eager")
    net(torch.ones(2))
    with parametrize.cached():
        net(torch.ones(2))


@program(
    *(
        Expected("symbolic-shape", "...", "...", "...", "again", "Keep it outside ", "...")
        for _ in range(3)
    )
)
def counted_in_a_counter() -> None:
    """Of a dict's subclass torch reads items in another way; a condition has only two sides."""

    @compiled
    def count(x: Tensor) -> Tensor:
        SEEN["a"] += 1
        return x + 1

    for _ in range(4):
        count(torch.ones(2))
