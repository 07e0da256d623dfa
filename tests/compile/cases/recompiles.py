"""Code objects that compile more than once within one call of the target."""

import torch
from torch import Tensor

STATE = {"calls": 0}


def add(x: Tensor, n: int) -> Tensor:
    """Compiled again for other integers."""
    return x + n


def double(x: Tensor) -> Tensor:
    """Compiled again for other shapes."""
    return x * 2


def by_name(x: Tensor, mode: str) -> Tensor:
    """Strings never become dynamic: one compilation for each."""
    return x + len(mode)


def integers(x: Tensor) -> Tensor:
    """The print gives the frame up; ``add`` compiles static, then dynamic."""
    for n in range(4):
        print(n)
        x = add(x, n)
    return x


def sizes(x: Tensor) -> Tensor:
    """The same for shapes."""
    for rows in range(2, 5):
        print(rows)
        double(torch.ones(rows, 4))
    return x


def ranks(x: Tensor) -> Tensor:
    """Another number of dimensions is another compilation."""
    for dims in range(1, 4):
        print(dims)
        double(torch.ones([2] * dims))
    return x


def dtypes(x: Tensor) -> Tensor:
    """And so is another dtype."""
    for dtype in (torch.float32, torch.float64, torch.int64):
        print(dtype)
        double(x.to(dtype))
    return x


def grad_modes(x: Tensor) -> Tensor:
    """And another grad mode."""
    for enabled in (True, False):
        print(enabled)
        with torch.set_grad_enabled(enabled):
            double(x)
    return x


def limit(x: Tensor) -> Tensor:
    """More strings than the recompile limit allows."""
    for length in range(12):
        print(length)
        x = by_name(x, "a" * length)
    return x


def count_calls(x: Tensor) -> Tensor:
    """Changes a global that it depends on."""
    STATE["calls"] += 1
    return x + STATE["calls"]


def global_state(x: Tensor) -> Tensor:
    """Every call finds another value of the global."""
    for _ in range(3):
        print("call")
        x = count_calls(x)
    return x


def no_recompile(x: Tensor) -> Tensor:
    """The same code with the same kind of input: compiled once."""
    for _ in range(3):
        print("again")
        x = double(x)
    return x
