"""Programs in which an attribute changes."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import Tensor, nn

from tests.compile.recompiles.table import Expected, calls, program

compiled = functools.partial(torch.compile, backend="eager")
X = torch.ones(4)


@program(
    Expected("int", "setting.n", "2", "3", "dynamic", "DYNAMIC_SOURCES", "attribute"),
    Expected("type", "setting.n", "int", "float", "dynamic", "of one type", "attribute"),
)
def type_of_attribute() -> None:
    """An int becomes a float, once it is dynamic."""

    class Setting:
        def __init__(self, n: float) -> None:
            self.n = n

    @compiled
    def scale(x: Tensor, setting: Setting) -> Tensor:
        return x * setting.n

    calls(scale, Setting(2), Setting(3), Setting(2.5))


@program(
    Expected("type", "self.seen", "16", "a tensor of float32[]", "again", "itself sets self.seen",
             "module-attribute"),
)  # fmt: skip
def type_set_inside() -> None:
    """A module keeps a tensor where the constructor had a number."""

    class Seen(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.seen: Any = 16

        def forward(self, x: Tensor) -> Tensor:
            y = x * self.seen
            self.seen = x.sum()
            return y

    model = Seen()
    model.compile(backend="eager")
    model(X)
    model(X)


@program(
    Expected("int", "self.layer_idx", "2", "3", "again", "allow_unspec_int_on_nn_module=True",
             "module-attribute"),
    Expected("int", "self.layer_idx", "3", "4", "again", "allow_unspec_int_on_nn_module=True",
             "module-attribute"),
)  # fmt: skip
def layer_idx() -> None:
    """Numbered layers share a code object."""

    class Layer(nn.Module):
        def __init__(self, layer_idx: int) -> None:
            super().__init__()
            self.layer_idx = layer_idx

        def forward(self, x: Tensor) -> Tensor:
            return x * self.layer_idx

    for index in (2, 3, 4):
        layer = Layer(index)
        layer.compile(backend="eager")
        layer(X)


@program(
    Expected("str", "self.mode", "'a'", "'b'", "again", "hoist the choice", "module-attribute")
)
def str_attribute() -> None:
    """A module's string changes."""

    class Mode(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mode = "a"

        def forward(self, x: Tensor) -> Tensor:
            return x * 2 if self.mode == "a" else x * 3

    module = Mode()
    module.compile(backend="eager")
    module(X)
    module.mode = "b"
    module(X)


@program(
    Expected("attribute-presence", "o", "without 'w'", "with 'w'", "again", "Set the attribute")
)
def attribute_comes() -> None:
    """An attribute that was not there."""

    class Setting:
        pass

    @compiled
    def maybe(x: Tensor, o: Any) -> Tensor:
        return x * 2 if hasattr(o, "w") else x + 1

    setting: Any = Setting()
    maybe(X, setting)
    setting.w = 1
    maybe(X, setting)


@program(
    *(
        Expected("str", "self.tag", repr("a" * number), repr("a" * (number + 1)), "again",
                 "itself sets self.tag at", "module-attribute")
        for number in range(1, 5)
    ),
)  # fmt: skip
def string_that_grows() -> None:
    """The function sets what it is compiled for: no limit is high enough."""

    class Tag(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tag = "a"

        def forward(self, x: Tensor) -> Tensor:
            result = x + len(self.tag)
            self.tag = self.tag + "a"
            return result

    tagged = Tag()
    tagged.compile(backend="eager")
    for _ in range(5):
        tagged(X)
