"""Programs with parts of modules, and attributes of a class."""

from __future__ import annotations

import functools

import torch
from torch import Tensor, nn

from tests.compile.recompiles.table import Expected, program

compiled = functools.partial(torch.compile, backend="eager")


class Config:
    """Settings that a program keeps."""

    options = {"scale": 0.5}  # noqa: RUF012 - as programs do


CONFIG = Config()


@program(
    Expected("float", "dict(type(G['CONFIG']).__dict__)['options']['scale']", "0.5", "0.25",
             "dynamic", "Make CONFIG.options['scale'] a tensor", "global"),
)  # fmt: skip
def attribute_of_a_class() -> None:
    """A float in a dict of a class, by a global object."""

    @compiled
    def scale(x: Tensor) -> Tensor:
        return x * CONFIG.options["scale"]

    for value in (0.5, 0.25, 0.125):
        CONFIG.options["scale"] = value
        scale(torch.ones(3))


@program(
    Expected("tensor-size", "self._buffers['seen']", "4", "5", "again",
             "force_parameter_static_shapes=False", "module-attribute"),
    Expected("tensor-size", "self._buffers['seen']", "5", "6", "again",
             "force_parameter_static_shapes=False", "module-attribute"),
)  # fmt: skip
def buffer_size() -> None:
    """Buffers are static as parameters are."""

    class Buffered(nn.Module):
        """A module whose buffer is replaced."""

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("seen", torch.ones(4))

        def forward(self, x: Tensor) -> Tensor:
            return x.sum() + self.seen.sum()

    module = Buffered()
    run = compiled(module)
    for size in (4, 5, 6):
        module.seen = torch.ones(size)
        run(torch.ones(2))


@program(
    Expected("container-length", "self._modules['layers']._modules", "1", "2", "again",
             "Add all submodules to self.layers", "module-attribute"),
)  # fmt: skip
def another_submodule() -> None:
    """A layer that is added later."""

    class Stack(nn.Module):
        """A module with a list of modules."""

        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(2, 2)])

        def forward(self, x: Tensor) -> Tensor:
            for layer in self.layers:
                x = layer(x)
            return x

    module = Stack()
    run = compiled(module)
    run(torch.ones(1, 2))
    module.layers.append(nn.Linear(2, 2))
    run(torch.ones(1, 2))


@program(
    Expected("type", "self._modules['act']", "torch.nn.modules.activation.ReLU",
             "torch.nn.modules.activation.GELU", "again", "Keep a module of one class in self.act",
             "module-attribute"),
)  # fmt: skip
def replaced_submodule() -> None:
    """A module of another class."""

    class Activated(nn.Module):
        """A module with one that can be replaced."""

        def __init__(self) -> None:
            super().__init__()
            self.act: nn.Module = nn.ReLU()

        def forward(self, x: Tensor) -> Tensor:
            return self.act(x)

    module = Activated()
    run = compiled(module)
    run(torch.ones(2))
    module.act = nn.GELU()
    run(torch.ones(2))
