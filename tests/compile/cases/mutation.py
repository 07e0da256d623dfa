"""Side effects on globals, lists and attributes."""

import torch
from torch import Tensor

HISTORY: list[Tensor] = []
CACHE: dict[str, Tensor] = {}
counter = 0
EMPTY = iter([torch.ones(4, 4), torch.ones(4, 4)])


def append_to_global(x: Tensor) -> Tensor:
    """Appends to a global list: no break."""
    HISTORY.append(x + 1)
    return x * 2


def set_in_global(x: Tensor) -> Tensor:
    """Fills a global dictionary: no break."""
    CACHE["last"] = x + 1
    return CACHE["last"] * 2


def global_counter(x: Tensor) -> Tensor:
    """Writes a global number: no break."""
    global counter
    counter += 1
    return x + counter


def mutate_then_print(x: Tensor) -> Tensor:
    """A side effect before a break has to be replayed."""
    HISTORY.append(x + 1)
    print(len(HISTORY))
    return HISTORY[-1] * 2


def global_iterator(x: Tensor) -> Tensor:
    """Consumes an iterator that lives outside."""
    return x + next(EMPTY)


def in_place(x: Tensor) -> Tensor:
    """Writes to its input: no break."""
    x.add_(1)
    return x * 2
