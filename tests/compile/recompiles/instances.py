"""Programs with several objects of one class, which share what is compiled for its code."""

from __future__ import annotations

import functools

import torch
from torch import Tensor, nn

from tests.compile.recompiles.table import Expected, program

compiled = functools.partial(torch.compile, backend="eager")


class Block(nn.Module):
    """A layer that knows its number; programs make classes of their own of it."""

    def __init__(self, index: int, act: nn.Module | None = None) -> None:
        super().__init__()
        self.index = index
        self.act = act or nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.act(x) + self.index


@program(
    Expected("int", "self.index", "0", "1", "again", "Raise the limit to 4", "module-attribute"),
    Expected("int", "self.index", "1", "2", "limit", "isolate_recompiles=True", "module-attribute"),
)
def numbered_layers() -> None:
    """Each layer is compiled by itself, and all have one limit."""

    class Layer(Block):
        def forward(self, x: Tensor) -> Tensor:
            return x + self.index

    layers = [Layer(index) for index in range(4)]
    with torch._dynamo.config.patch(recompile_limit=2):
        for layer in layers:
            layer.compile(backend="eager")
        for layer in layers:
            layer(torch.ones(2))


@program(
    Expected("type", "self._modules['act']", "torch.nn.modules.activation.ReLU",
             "torch.nn.modules.activation.Tanh", "again", "3 compiled versions are within",
             "module-attribute"),
    Expected("type", "self._modules['act']", "torch.nn.modules.activation.ReLU",
             "torch.nn.modules.activation.GELU", "again", "3 compiled versions are within",
             "module-attribute"),
)  # fmt: skip
def two_of_twelve() -> None:
    """Twelve layers are compiled by themselves, and ten of them are alike."""

    class Layer(Block):
        def forward(self, x: Tensor) -> Tensor:
            return self.act(x)

    others = {3: nn.Tanh(), 7: nn.GELU()}
    layers = [Layer(0, others.get(number)) for number in range(12)]
    for layer in layers:
        layer.compile(backend="eager")
    for layer in layers:
        layer(torch.ones(2))


@program(
    Expected("container-length", "self._modules['layers']._modules", "2", "3", "again",
             "`for layer in model.layers: layer.compile()`", "module-attribute"),
)  # fmt: skip
def models_of_two_depths() -> None:
    """No model gets a layer; one has more than the other, and the same size again later."""

    class Stack(nn.Module):
        def __init__(self, depth: int) -> None:
            super().__init__()
            self.layers = nn.ModuleList(Block(1) for _ in range(depth))

        def forward(self, x: Tensor) -> Tensor:
            for layer in self.layers:
                x = layer(x)
            return x

    two, three = compiled(Stack(2)), compiled(Stack(3).requires_grad_(requires_grad=False))
    for model in (two, three, two):
        model(torch.ones(2))


@program(
    Expected("type", "block._modules['act']", "torch.nn.modules.activation.ReLU",
             "torch.nn.modules.activation.Tanh", "again", "3 compiled versions are within",
             "module-attribute"),
    Expected("int", "block.index", "0", "7", "again", "3 compiled versions are within",
             "module-attribute"),
)  # fmt: skip
def module_as_argument() -> None:
    """A function that is given one module after the other."""

    @compiled
    def apply(x: Tensor, block: Block) -> Tensor:
        return block(x) * 2

    for block in (Block(0), Block(0, nn.Tanh()), Block(7), Block(0)):
        apply(torch.ones(2), block)


@program(
    *(
        Expected("int", "self.index", str(n), str(n + 1), "again",
                 "self.index is a constant of each graph", "module-attribute")
        for n in (1, 2)
    ),
)  # fmt: skip
def one_of_three_alike() -> None:
    """Three layers share a program, and then one of them changes."""

    class Layer(Block):
        def forward(self, x: Tensor) -> Tensor:
            return x + self.index

    layers = [Layer(1) for _ in range(3)]
    for layer in layers:
        layer.compile(backend="eager")
        layer(torch.ones(2))
    for index in (2, 3):
        layers[1].index = index
        layers[1](torch.ones(2))
