"""Programs with objects, containers and functions that are passed."""

from __future__ import annotations

import functools
import weakref
from typing import Any

import torch
from torch import Tensor

from tests.compile.recompiles.table import Expected, program

compiled = functools.partial(torch.compile, backend="eager")


class Thing:
    """Something to refer to."""


@program(Expected("none", "r()", "...", "NoneType", "again", "Calls with and without r()"))
def dead_reference() -> None:
    """What a weak reference leads to is gone."""

    @compiled
    def look(x: Tensor, r: Any) -> Tensor:
        return x + 1 if r() is not None else x * 2

    thing = Thing()
    r = weakref.ref(thing)
    look(torch.ones(3), r)
    del thing
    look(torch.ones(3), r)


@program(
    Expected(
        "container-keys", "s", "with 'a'", "without 'a'", "again", "Calls with and without 'a'"
    )
)
def member_of_a_set() -> None:
    """Whether something is in a set."""

    @compiled
    def pick(x: Tensor, s: Any) -> Tensor:
        return x * 2 if "a" in s else x + 1

    pick(torch.ones(3), {"a"})
    pick(torch.ones(3), {"b"})


@program(
    Expected("float", "by of fn", "1.5", "2.5", "dynamic", "Make by of fn a tensor", "closure"),
    Expected("tensor-dtype", "rate['slow'] of fn", "Float", "Double", "again",
             "Write rate['slow'] = rate['slow'].to(torch.float32) where the variable of fn is set",
             "closure"),
)  # fmt: skip
def variable_of_a_passed_function() -> None:
    """Guards know closure variables by their number."""

    def scaled(by: float) -> Any:
        return lambda x: x * by

    @compiled
    def apply(fn: Any, x: Tensor) -> Tensor:
        return fn(x).relu()

    def added(rate: dict[str, Tensor]) -> Any:
        return lambda x: x + rate["slow"]

    @compiled
    def other(fn: Any, x: Tensor) -> Tensor:
        return fn(x).sin()

    for by in (1.5, 2.5, 3.5):
        apply(scaled(by), torch.ones(3))
    for dtype in (torch.float32, torch.float64):
        other(added({"slow": torch.ones(3, dtype=dtype)}), torch.ones(3))
