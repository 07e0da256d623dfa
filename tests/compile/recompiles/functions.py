"""Programs in which a function, a class, or what a function sees around it changes."""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch
from torch import Tensor

from tests.compile.recompiles.table import Expected, calls, program

compiled = functools.partial(torch.compile, backend="eager")
SHARED = 3
X = torch.ones(4)


@program(
    Expected("int", "G['SHARED']", "3", "4", "again",
             "Pass SHARED to global_int.scale as an argument", "global"),
)  # fmt: skip
def global_int() -> None:
    """A global number changes."""
    global SHARED

    @compiled
    def scale(x: Tensor) -> Tensor:
        return x * SHARED

    for SHARED in (3, 4):
        scale(X)


@program(Expected("int", "n", "3", "4", "dynamic", "L['n']", "closure"))
def closure_int() -> None:
    """A variable of the function around it changes."""
    n = 3

    @compiled
    def scale(x: Tensor) -> Tensor:
        return x * n

    scale(X)
    n = 4
    scale(X)


@program(Expected("int", "k of g", "2", "3", "dynamic", "TORCH_COMPILE_DYNAMIC_SOURCES", "closure"))
def closure_of_argument() -> None:
    """A function that is passed has another closure."""

    def make(k: int) -> Callable[[Tensor], Tensor]:
        def inner(x: Tensor) -> Tensor:
            return x * k

        return inner

    @compiled
    def apply(x: Tensor, g: Callable[[Tensor], Tensor]) -> Tensor:
        return g(x)

    calls(apply, make(2), make(3))


@program(
    Expected("function-identity", "g.__code__", "...", "...", "again", "g is part of the program",
             "attribute"),
)  # fmt: skip
def user_function() -> None:
    """Another function of the user's."""

    def first(x: Tensor) -> Tensor:
        return x + 1

    def second(x: Tensor) -> Tensor:
        return x + 2

    @compiled
    def apply(x: Tensor, g: Callable[[Tensor], Tensor]) -> Tensor:
        return g(x)

    calls(apply, first, second)


@program(Expected("object-identity", "kind", "int", "float", "again", "same object"))
def class_argument() -> None:
    """A class is known by its identity."""

    @compiled
    def maybe(x: Tensor, kind: type) -> Tensor:
        return x * 2 if kind is int else x * 3

    calls(maybe, int, float)
