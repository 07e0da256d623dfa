"""Programs in which a Python value changes: a number, a string, a container."""

from __future__ import annotations

import enum
import functools

import numpy as np
import torch
from torch import Tensor

from tests.compile.recompiles.table import Expected, calls, program

compiled = functools.partial(torch.compile, backend="eager")
X = torch.ones(4)


class Pool(enum.Enum):
    """How to pool."""

    MEAN = 1
    MAX = 2


@program(Expected("int", "n", "3", "4", "dynamic", "TORCH_COMPILE_DYNAMIC_SOURCES=\"L['n']\""))
def int_argument() -> None:
    """An int is a constant at first, and dynamic from the second value on."""

    @compiled
    def scale(x: Tensor, n: int) -> Tensor:
        return x * n

    calls(scale, 3, 4, 5)


@program(Expected("float", "n", "3.5", "4.5", "dynamic", "torch.tensor"))
def float_argument() -> None:
    """The same for a float."""

    @compiled
    def scale(x: Tensor, n: float) -> Tensor:
        return x * n

    calls(scale, 3.5, 4.5, 5.5)


@program(Expected("bool", "flag", "True", "False", "again", "torch.where(flag"))
def bool_argument() -> None:
    """A flag has two values."""

    @compiled
    def maybe(x: Tensor, flag: bool) -> Tensor:
        return x * 2 if flag else x + 1

    calls(maybe, True, False)


@program(Expected("none", "bias", "None", "a tensor of float32[4]", "again", "instead of None"))
def none_to_tensor() -> None:
    """An optional argument comes."""

    @compiled
    def add(x: Tensor, bias: Tensor | None) -> Tensor:
        return x * 2 if bias is None else x + bias

    calls(add, None, X)


@program(Expected("enum", "pool", "Pool.MEAN", "Pool.MAX", "again", "an enum member"))
def enum_argument() -> None:
    """An enum member is known by its identity."""

    @compiled
    def reduce(x: Tensor, pool: Pool) -> Tensor:
        return x.mean() if pool is Pool.MEAN else x.max()

    calls(reduce, Pool.MEAN, Pool.MAX)


@program(Expected("constant", "kind", "torch.float64", "torch.int64", "again", "hoist the choice"))
def dtype_argument() -> None:
    """A dtype is a constant."""

    @compiled
    def convert(x: Tensor, kind: torch.dtype) -> Tensor:
        return x.to(kind)

    calls(convert, torch.float64, torch.int64)


@program(Expected("container-length", "xs", "2", "3", "again", "torch.stack(value)"))
def list_length() -> None:
    """A list grows."""

    @compiled
    def total(x: Tensor, xs: list[Tensor]) -> Tensor:
        return x + sum(xs)

    calls(total, [X] * 1 + [X + 1], [X, X + 1, X + 2])


@program(Expected("container-length", "xs", "0", "1", "again", "the same length"))
def empty_list() -> None:
    """Nothing, then something."""

    @compiled
    def scale(x: Tensor, xs: list[int]) -> Tensor:
        return x * (len(xs) + 1)

    calls(scale, [], [1])


@program(Expected("varargs", "xs", "1", "2", "again", "instead of *xs"))
def star_arguments() -> None:
    """Another number of arguments."""

    @compiled
    def total(*xs: Tensor) -> Tensor:
        return torch.stack(xs).sum(0)

    total(X)
    total(X, X + 1)


@program(
    Expected("tensor-dtype", "x", "Float", "Double", "again", "torch.float32"),
    Expected("str", "mode", "'a'", "'b'", "again", "hoist the choice"),
)
def two_reasons() -> None:
    """The newest entry's guard is no news: what is new is the other one."""

    @compiled
    def scale(x: Tensor, mode: str) -> Tensor:
        return x * len(mode)

    scale(X, "a")
    scale(X.double(), "a")
    scale(X, "b")


@program(
    *(
        Expected("str", "mode", repr("a" * n), repr("a" * (n + 1)), "limit" if n == 7 else "again",
                 "hoist the choice")
        for n in range(8)
    ),
)  # fmt: skip
def limit() -> None:
    """More strings than the limit allows."""

    @compiled
    def scale(x: Tensor, mode: str) -> Tensor:
        return x * len(mode)

    calls(scale, *("a" * n for n in range(10)))


@program(
    Expected("float", "n", "3.5", "4.5", "again", "Pass it as a tensor: torch.tensor("),
    Expected("float", "n", "4.5", "5.5", "again", "NumPy's conversion takes the tensor, too"),
)
def float_for_numpy() -> None:
    """NumPy's scalars are tensors to Dynamo: they take a tensor, and need a float's value."""

    @compiled
    def scale(x: Tensor, n: float) -> Tensor:
        return x * torch.from_numpy(np.arange(4, dtype=np.float32) * np.float32(n))

    for number in (3.5, 4.5, 5.5):
        scale(X, number)


@program(
    Expected(
        "container-keys",
        "seen",
        "no keys",
        "keys 'double'",
        "again",
        "give seen all of its keys before",
        "closure",
    )
)
def dict_that_is_filled() -> None:
    """A hook that keeps what a layer gave: the second call finds a key more."""
    seen: dict[str, Tensor] = {}

    @compiled
    def double(x: Tensor) -> Tensor:
        seen["double"] = x * 2
        return x + 1

    for _ in range(3):
        double(X)
