"""How often several objects of one class compile: what the advice on them leads to."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from inspector.features.recompiles.around_calls import limit_of
from tests.compile.recompiles.child import compilations
from tests.compile.recompiles.instances import Block

VERSION = tuple(map(int, importlib.metadata.version("torch").split(".")[:2]))
LAYERS = 10


def graphs(config: dict[str, object] | None = None, **options: Any) -> int:
    """The graphs of layers that are compiled one by one, with the results that eager ones give."""
    torch._dynamo.reset()
    made: list[object] = []

    def backend(graph: Any, _inputs: Any) -> Any:
        made.append(graph)
        return graph.forward

    x = torch.ones(2)
    layers = [Block(index) for index in range(LAYERS)]
    wanted = [layer(x) for layer in layers]
    with torch._dynamo.config.patch(config or {}):
        for layer, result in zip(layers, wanted, strict=True):
            layer.compile(backend=backend, **options)
            assert torch.equal(layer(x), result)
    return len(made)


def test_compiling_each_by_itself_leaves_one_limit() -> None:
    assert graphs() == torch._dynamo.config.recompile_limit < LAYERS


def test_a_higher_limit_is_one_program_each() -> None:
    assert "recompile_limit=10" in limit_of(LAYERS)
    assert graphs({"recompile_limit": LAYERS}) == LAYERS
    if VERSION >= (2, 12):
        assert graphs(recompile_limit=LAYERS) == LAYERS


def test_a_number_that_is_data_is_one_program_and_the_first() -> None:
    assert graphs({"allow_unspec_int_on_nn_module": True}) == 2


@pytest.mark.skipif(VERSION < (2, 13), reason="torch.compile has no isolate_recompiles")
def test_isolated_each_has_a_limit_of_its_own() -> None:
    assert graphs(isolate_recompiles=True) == LAYERS


class Stack(nn.Module):
    """A model of some depth."""

    def __init__(self, layer: Callable[[], nn.Module], depth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layer() for _ in range(depth))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def whole(model: Stack) -> None:
    model.compile(backend="eager")


def own_layers(model: Stack) -> None:
    for layer in model.layers:
        layer.compile(backend="eager")


def wrapped_layers(model: Stack) -> None:
    for i, layer in enumerate(model.layers):
        model.layers[i] = torch.compile(layer, backend="eager")  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("layer", "compiled", "expected"),
    [
        (lambda: Block(1), whole, 3),
        (lambda: Block(1), own_layers, 1),
        # What a layer of torch's own compiles by itself, Dynamo skips up to 2.13.
        (lambda: nn.Linear(2, 2), own_layers, int(VERSION >= (2, 14))),
        (lambda: nn.Linear(2, 2), wrapped_layers, 1),
    ],
)
def test_models_of_three_depths_share_their_layers(
    layer: Callable[[], nn.Module], compiled: Callable[[Stack], None], expected: int
) -> None:
    def run() -> None:
        for depth in (2, 3, 4):
            model = Stack(layer, depth)
            compiled(model)
            with torch.no_grad():
                model(torch.ones(2))

    torch._dynamo.reset()
    assert compilations(run) == expected
