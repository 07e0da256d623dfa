"""Breaks inside functions that Dynamo inlines: one record per enclosing frame."""

import functools
from collections.abc import Callable

import torch
from torch import Tensor


def inner(x: Tensor) -> Tensor:
    """The function that breaks."""
    x = x + 1
    print("inner")
    return x * 2


def middle(x: Tensor) -> Tensor:
    """One level above it."""
    return inner(x) + 3


def one_level(x: Tensor) -> Tensor:
    """A call of a function that breaks."""
    return inner(x) * 2


def two_levels(x: Tensor) -> Tensor:
    """A call of a call."""
    return middle(x) * 2


def called_twice(x: Tensor) -> Tensor:
    """Two calls on one line are one site."""
    return middle(x) * middle(x - 1)


def called_on_two_lines(x: Tensor) -> Tensor:
    """Two calls on two lines are still one site: the line that breaks."""
    y = inner(x)
    return inner(y) + 1


def in_lambda(x: Tensor) -> Tensor:
    """A lambda that breaks."""
    double = lambda y: (print("lambda"), y + 1)[1]
    return double(x) * 2


def in_list_comprehension(x: Tensor) -> Tensor:
    """A loop in disguise."""
    return torch.stack([inner(x) for _ in range(2)])


def in_closure(x: Tensor) -> Tensor:
    """A nested function that closes over a tensor."""
    scale = x.sum()

    def scaled(y: Tensor) -> Tensor:
        print("closure")
        return y * scale

    return scaled(x) + 1


def in_partial(x: Tensor) -> Tensor:
    """Through functools.partial."""
    return functools.partial(inner, x)() + 1


def in_map(x: Tensor) -> Tensor:
    """Through ``map``."""
    first, second = map(inner, (x, x - 1))
    return first + second


def in_sort_key(x: Tensor) -> Tensor:
    """A key function that reads values."""
    order = sorted([1, 2], key=lambda row: x[row, 0].item())
    return x + order[0]


def announced(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """A decorator that prints."""

    @functools.wraps(function)
    def wrapper(x: Tensor) -> Tensor:
        print("calling", function.__name__)
        return function(x)

    return wrapper


@announced
def decorated(x: Tensor) -> Tensor:
    """The compiled object is the wrapper."""
    return x + 1


def recursive(x: Tensor, depth: int = 3) -> Tensor:
    """Breaks at the bottom; every level compiles the same code again."""
    if depth == 0:
        print("bottom")
        return x
    return recursive(x + 1, depth - 1) * 2


class Meter:
    """An object with methods and a property that break."""

    def __init__(self) -> None:
        self.calls = 0

    def update(self, x: Tensor) -> Tensor:
        """Count, then break."""
        self.calls += 1
        print("update")
        return x + 1

    @property
    def scale(self) -> float:
        """A property with a side effect."""
        print("scale")
        return 2.0


METER = Meter()


def in_method(x: Tensor) -> Tensor:
    """A method of a global object."""
    return METER.update(x) * 2


def in_property(x: Tensor) -> Tensor:
    """A property of a global object."""
    return x * METER.scale + 1


def in_generator(x: Tensor) -> Tensor:
    """A generator that breaks while it is consumed."""

    def rows() -> object:
        for row in x:
            print("row")
            yield row + 1

    return torch.stack(list(rows()))


def generator_without_break(x: Tensor) -> Tensor:
    """A generator that Dynamo can follow: no break."""
    return sum((x + step for step in range(3)), start=torch.zeros(4, 4))
