"""Printing, logging and warning inside a compiled function."""

import logging
import torch
from torch import Tensor

def print_between(x: Tensor) -> Tensor:
    """One break, a graph on either side."""
    y = x + 1
    print("between")
    return y * 2


def print_first(x: Tensor) -> Tensor:
    """The break comes before the first operator."""
    print("first")
    return x + 1


def print_last(x: Tensor) -> Tensor:
    """The break comes after the last operator."""
    y = x + 1
    print("last")
    return y


def print_twice(x: Tensor) -> Tensor:
    """Two sites; the second is in the resumed frame of the first."""
    x = x + 1
    print("one")
    x = x * 2
    print("two")
    return x - 3


def same_line_twice(x: Tensor) -> Tensor:
    """Two breaks on one line are one site with two records."""
    return torch.relu(x) * (print("a") or 2) + (print("b") or 1)
