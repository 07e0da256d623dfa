"""Printing, logging and warning inside a compiled function."""

import logging
import sys
import warnings

import torch
from torch import Tensor

logger = logging.getLogger(__name__)


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


def print_tensor(x: Tensor) -> Tensor:
    """Formatting a tensor needs its values."""
    y = x + 1
    print(f"mean {y.mean():.2f}")
    return y * 2


def log_warning(x: Tensor) -> Tensor:
    """A logger's method."""
    y = x + 1
    logger.warning("logged")
    return y * 2


def warn(x: Tensor) -> Tensor:
    """The warnings module."""
    y = x + 1
    warnings.warn("careful", stacklevel=2)
    return y * 2


def write_stdout(x: Tensor) -> Tensor:
    """A method of a file object."""
    y = x + 1
    sys.stdout.write("written\n")
    return y * 2


def repr_of_tensor(x: Tensor) -> Tensor:
    """The text of a tensor."""
    return x + len(repr(x))


def same_line_twice(x: Tensor) -> Tensor:
    """Two breaks on one line are one site with two records."""
    return torch.relu(x) * (print("a") or 2) + (print("b") or 1)
