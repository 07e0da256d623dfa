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


@program(Expected("none", "r()", "...", "NoneType", "again", "With and without r()"))
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
    Expected("container-keys", "s", "with 'a'", "without 'a'", "again", "With and without 'a'")
)
def member_of_a_set() -> None:
    """Whether something is in a set."""

    @compiled
    def pick(x: Tensor, s: Any) -> Tensor:
        return x * 2 if "a" in s else x + 1

    pick(torch.ones(3), {"a"})
    pick(torch.ones(3), {"b"})


@program(
    Expected(
        "container-keys", "kw", "with 'mask'", "without 'mask'", "again", "pass mask=…, bias=… in"
    ),
    Expected("container-keys", "kw", "without 'bias'", "with 'bias'", "again", "every call of"),
)
def keyword_that_is_missing() -> None:
    """A guard on what a key leads to finds no such key; torch names the value, and not the dict."""

    @compiled
    def masked(x: Tensor, **kw: Tensor) -> Tensor:
        mask, bias = kw.get("mask"), kw.get("bias")
        x = x.sin() if mask is None else x * mask
        return x if bias is None else x + bias

    a = torch.ones(4)
    masked(a, mask=torch.ones(4))
    masked(a)
    masked(a, bias=torch.ones(4))


@program(
    Expected("container-keys", "state['params']", "with 'b'", "without 'b'", "again", "the keys"),
    Expected("container-keys", "state['params']", "with 'w'", "without 'w'", "again", "the keys"),
)
def key_that_an_alias_has() -> None:
    """A guard in Python that compares two inputs raises, and torch shows what it raised."""

    @compiled
    def total(state: dict[str, dict[str, Tensor]], x: Tensor) -> Tensor:
        for name in ("w", "b"):
            x = x + state["params"][name] if name in state["params"] else x * 2
        return x

    a = torch.ones(4)
    total({"params": {"w": a, "b": a}}, a)
    total({"params": {"w": a}}, a)
    total({"params": {"b": a}}, a)


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


@program(
    Expected("int", "target of fn", "0", "1", "dynamic", "SOURCES", "closure"),
    Expected("type", "fn", "function", "functools.partial", "again", "of one type"),
)
def partial_in_place_of_a_function() -> None:
    """What fails in the newest entry would fail in the older one, too."""

    @compiled
    def loss(fn: Any, x: Tensor) -> Tensor:
        return fn(x).mean()

    def distance(target: int) -> Any:
        return lambda z: (z - target).abs()

    for target in range(2):
        loss(distance(target), torch.ones(4))
    loss(functools.partial(torch.pow, exponent=2), torch.ones(4))
