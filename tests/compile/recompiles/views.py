"""Programs with views, inference tensors and arrays."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tests.compile.recompiles.table import Expected, program

compiled = functools.partial(torch.compile, backend="eager")


@program(
    Expected("tensor-size", "base", "2", "3", "dynamic", "SOURCES=\"L['base']\""),
    Expected("tensor-view", "x", "a view", "no view", "again", "x = x.clone()"),
)
def view_no_longer() -> None:
    """A view of a tensor whose size is dynamic, then a tensor of its own."""

    @compiled
    def both(x: Tensor, base: Tensor) -> Tensor:
        return x * base.sum()

    for rows in (2, 3):
        base = torch.ones(rows, 4)
        x = base[-1:]
        both(x, base)
    x = torch.ones(1, 4)
    both(x, torch.ones(5, 4))


@program(Expected("tensor-dispatch-keys", "x", "...", "...", "again", "torch.inference_mode()"))
def inference_tensor() -> None:
    """A tensor that is made under inference mode has other dispatch keys."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    with torch.inference_mode():
        inside = torch.ones(3)
    with torch.no_grad():
        double(torch.ones(3))
        double(inside)


@program(
    Expected("tensor-size", "___from_numpy(a)", "3", "4", "dynamic", "t = torch.from_numpy(a)"),
    Expected("tensor-dtype", "___from_numpy(a)", "Float", "Double", "again",
             "a = a.astype(np.float32)"),
)  # fmt: skip
def array() -> None:
    """A NumPy array is a tensor in the graph."""

    @compiled
    def add(x: Tensor, a: Any) -> Tensor:
        return x + torch.from_numpy(a).sum()

    for a in (np.ones(3, np.float32), np.ones(4, np.float32), np.ones(4)):
        add(torch.ones(3), a)
