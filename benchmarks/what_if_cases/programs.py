"""Programs made of features, each with the values that it may be called with.

A feature is a parameter, an attribute, a global or a part of the thread's state; it may be used by
the program or not. `others` draws other values of it, by the kind of the change: Hypothesis chooses
the program, the calls and the change.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Any

import torch
from hypothesis import strategies as st


class Kind(enum.Enum):
    """What changes."""

    SIZE = "tensor size"
    STRIDE = "stride"
    DTYPE = "dtype"
    REQUIRES_GRAD = "requires_grad"
    DIMENSIONS = "number of dimensions"
    TENSOR_TYPE = "class of a tensor"
    INT = "int"
    FLOAT = "float"
    STR = "str"
    BOOL = "bool"
    NONE = "None"
    ENUM = "enum or object"
    LENGTH = "length of a container"
    KEYS = "keys of a dict"
    ARGUMENTS = "number of *args"
    ATTRIBUTE = "module attribute"
    TRAINING = "training flag"
    HOOK = "module hook"
    GLOBAL = "global"
    CLOSURE = "closure"
    FUNCTION = "function"
    TYPE = "type"
    GRAD_MODE = "grad mode"
    AUTOCAST = "autocast"
    DEFAULT_DTYPE = "default dtype"
    NUM_THREADS = "number of threads"
    DETERMINISTIC = "deterministic algorithms"
    INSTANCE = "another instance"


Draw = Callable[[st.SearchStrategy[Any]], Any]
"""Draws from a strategy, as `hypothesis.strategies.data` does."""
Other = Callable[[Draw, Any], Any]
"""Draws another value in the place of one."""


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass(frozen=True)
class Tensor:
    """How a tensor is made.

    Attributes:
        size: Its sizes.
        dtype: Name of its dtype.
        grad: Whether it requires grad.
        permuted: Whether its memory is laid out with the dimensions in the reverse order.
        parameter: Whether it is an nn.Parameter.
    """

    size: tuple[int, ...] = (4, 6)
    dtype: str = "float32"
    grad: bool = False
    permuted: bool = False
    parameter: bool = False

    def make(self) -> torch.Tensor:
        dtype = getattr(torch, self.dtype)
        tensor = torch.zeros(self.size[::-1] if self.permuted else self.size, dtype=dtype)
        if self.permuted:
            tensor = tensor.permute(*reversed(range(len(self.size))))
        if self.parameter:
            return torch.nn.Parameter(tensor, requires_grad=self.grad)
        return tensor.requires_grad_(self.grad)


@dataclasses.dataclass(frozen=True)
class Feature:
    """One thing that can change.

    Attributes:
        name: The parameter's name, or another name of it.
        first: Its first value.
        uses: Lines of the program that use it; one is chosen.
        others: By kind of change, what draws another value of it.
        place: ``argument``, ``attribute``, ``global``, ``closure`` or ``thread``.
    """

    name: str
    first: Any
    uses: tuple[str, ...]
    others: dict[Kind, Other]
    place: str = "argument"


def _size(draw: Draw, value: Tensor) -> Tensor:
    size = list(value.size)
    at = draw(st.integers(0, len(size) - 1))
    size[at] = draw(st.sampled_from([n for n in (7, 5, 9, 8, 3, 2, 1, 0) if n != size[at]]))
    return dataclasses.replace(value, size=tuple(size))


def _dimensions(_draw: Draw, value: Tensor) -> Tensor:
    size = value.size[1:] if len(value.size) > 2 else (2, *value.size)
    return dataclasses.replace(value, size=size)


def _choice(*values: Any) -> Other:
    def other(draw: Draw, value: Any) -> Any:
        return draw(st.sampled_from([item for item in values if item != value]))

    return other


_TENSOR_CHANGES: dict[Kind, Other] = {
    Kind.SIZE: _size,
    Kind.DIMENSIONS: _dimensions,
    Kind.STRIDE: lambda _, v: dataclasses.replace(v, permuted=not v.permuted),
    Kind.DTYPE: lambda draw, v: dataclasses.replace(
        v, dtype=_choice("float32", "float64", "float16")(draw, v.dtype)
    ),
    Kind.REQUIRES_GRAD: lambda _, v: dataclasses.replace(v, grad=not v.grad),
    Kind.TENSOR_TYPE: lambda _, v: dataclasses.replace(v, parameter=not v.parameter),
}

FEATURES: tuple[Feature, ...] = (
    Feature(
        "x",
        Tensor(),
        (
            "r = r + x.sum()",
            "r = r + (x * x.shape[0]).sum()",
            "r = r + x.reshape(-1).sum() * 2",
            "r = r + (x.sum() if x.shape[0] > 3 else x.sum() * 3)",
            "r = r + torch.ones(x.shape[-1] + 1).sum() + x.sum()",
        ),
        _TENSOR_CHANGES,
    ),
    Feature(
        "y", Tensor((3, 5)), ("r = r + y.sum()", "r = r + y.mean() * y.shape[1]"), _TENSOR_CHANGES
    ),
    Feature(
        "n",
        3,
        (
            "r = r + n",
            "r = r + torch.ones(n + 2).sum()",
            "r = r * (2 if n > 4 else 3)",
            "r = r + (1 if n % 2 == 0 else 2)",
            "r = r * [1, 2, 3, 4, 5, 6, 7, 8, 9, 10][n]",
        ),
        {
            Kind.INT: _choice(0, 1, 2, 3, 4, 5, 6, 9),
            Kind.TYPE: lambda _, v: float(v) if isinstance(v, int) else 3,
        },
    ),
    Feature(
        "f",
        0.5,
        ("r = r * f", "r = r + (1 if f > 1 else 2)"),
        {Kind.FLOAT: _choice(0.5, 1.5, 2.5, 3.25, float("inf"))},
    ),
    Feature(
        "s",
        "a",
        ("r = r * (2 if s == 'a' else 3)", "r = r + len(s)"),
        {Kind.STR: _choice("a", "b", "cc")},
    ),
    Feature(
        "b", True, ("r = r * 2 if b else r", "r = r * (b + 1)"), {Kind.BOOL: _choice(True, False)}
    ),
    Feature("o", None, ("r = r if o is None else r + 1",), {Kind.NONE: _choice(None, "given", 7)}),
    Feature(
        "e",
        Color.RED,
        ("r = r * 2 if e is Color.RED else r", "r = r + e.value"),
        {Kind.ENUM: _choice(Color.RED, Color.BLUE)},
    ),
    Feature(
        "items",
        2,
        ("for item in items: r = r + item.sum()", "r = r + items[0].sum()", "r = r * len(items)"),
        {Kind.LENGTH: _choice(1, 2, 3, 4)},
    ),
    Feature(
        "d",
        ("a", "b"),
        (
            "for v in d.values(): r = r + v.sum()",
            "r = r + d['a'].sum()",
            "r = r * len(d)",
            "r = r + (d['b'].sum() if 'b' in d else 1)",
        ),
        {Kind.KEYS: _choice(("a", "b"), ("a",), ("a", "b", "c"), ("a", "c"))},
    ),
    Feature(
        "rest",
        1,
        ("for item in rest: r = r + item.sum()", "r = r * len(rest)"),
        {Kind.ARGUMENTS: _choice(0, 1, 2, 3)},
    ),
    Feature(
        "index",
        2,
        ("r = r * self.index", "r = r + torch.ones(self.index + 2).sum()"),
        {Kind.ATTRIBUTE: _choice(1, 2, 3, 4)},
        "attribute",
    ),
    Feature(
        "scale",
        0.5,
        ("r = r * self.scale",),
        {Kind.ATTRIBUTE: _choice(0.5, 0.75, 2.0)},
        "attribute",
    ),
    Feature(
        "name",
        "m",
        ("r = r * (2 if self.name == 'm' else 3)",),
        {Kind.ATTRIBUTE: _choice("m", "k")},
        "attribute",
    ),
    Feature(
        "training",
        True,
        ("r = r * 2 if self.training else r", "r = self.drop(r)"),
        {Kind.TRAINING: _choice(True, False)},
        "attribute",
    ),
    Feature(
        "hook",
        False,
        ("r = r + self.linear(torch.ones(2, dtype=torch.float32)).sum()",),
        {Kind.HOOK: _choice(True, False)},
        "attribute",
    ),
    Feature(
        "LIMIT",
        3,
        ("r = r + LIMIT", "r = r * 2 if LIMIT > 3 else r"),
        {Kind.GLOBAL: _choice(2, 3, 4, 5)},
        "global",
    ),
    Feature("WORD", "w", ("r = r * len(WORD)",), {Kind.GLOBAL: _choice("w", "ww")}, "global"),
    Feature(
        "fn",
        ("double", 2),
        ("r = fn(r)",),
        {
            Kind.CLOSURE: lambda draw, v: (v[0], _choice(2, 3, 4)(draw, v[1])),
            Kind.FUNCTION: lambda draw, v: (
                _choice("double", "triple", "square")(draw, v[0]),
                v[1],
            ),
        },
        "closure",
    ),
    Feature("grad_mode", True, (), {Kind.GRAD_MODE: _choice(True, False)}, "thread"),
    Feature("autocast", False, (), {Kind.AUTOCAST: _choice(True, False)}, "thread"),
    Feature(
        "default_dtype",
        "float32",
        (),
        {Kind.DEFAULT_DTYPE: _choice("float32", "float64")},
        "thread",
    ),
    Feature("num_threads", 1, (), {Kind.NUM_THREADS: _choice(1, 2, 3)}, "thread"),
    Feature("deterministic", False, (), {Kind.DETERMINISTIC: _choice(True, False)}, "thread"),
    Feature("same", False, ("r = r + x.sum() + y.sum()",), {}, "alias"),
)

_HEAD = """
import torch
from benchmarks.what_if_cases.programs import Color

LIMIT = 3
WORD = "w"


def make(kind, k):
    def double(r):
        return r * k

    def triple(r):
        return r * k * 3

    def square(r):
        return r * r + k

    return {"double": double, "triple": triple, "square": square}[kind]


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.index, self.scale, self.name = 2, 0.5, "m"
        self.linear, self.drop = torch.nn.Linear(2, 2), torch.nn.Dropout()

    def forward(self, x, y, n, f, s, b, o, e, items, d, fn, *rest):
        r = torch.ones(2)
"""


def used_lines(draw: Draw, feature: Feature) -> dict[str, str]:
    """Which features the program uses, and how.

    Mostly what is about to change is used; a program that does not is a case too.
    """
    used = {}
    for item in FEATURES:
        if item.uses and draw(st.integers(0, 9)) < (8 if item is feature else 3):
            used[item.name] = draw(st.sampled_from(item.uses))
    return used


def source_of(used: dict[str, str]) -> str:
    """The program that uses the features in the given ways."""
    lines = [f"        {line}" for line in used.values()]
    return "\n".join([_HEAD.rstrip("\n"), *lines, "        return r"]) + "\n"
