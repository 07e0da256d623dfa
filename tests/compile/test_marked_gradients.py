"""What autograd does to keep a gradient has its parameter's module, and gives the same gradient."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch._dynamo import compiled_autograd

from inspector.capture.profiling.gradients import marked_gradients
from inspector.capture.profiling.sequence import cpu_calls
from inspector.capture.profiling.trace import traced
from inspector.capture.profiling.user_lines import CALL_MARK

KEPT = "torch::autograd::AccumulateGrad"


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 4, 3))
        self.frozen = nn.Linear(4, 4).requires_grad_(requires_grad=False)
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.frozen(self.layers(x).mean((2, 3))) * self.scale


@pytest.fixture(autouse=True)
def _fresh() -> None:
    torch._dynamo.reset()


def modules(function: Callable[..., torch.Tensor], target: Callable[..., object]) -> list[str]:
    """The module of each gradient that a call keeps."""
    x = torch.randn(2, 3, 16, 16)
    function(x).sum().backward()
    for leaf in parameters(target):
        leaf.grad = None
    with traced(with_device=False) as seen, marked_gradients(target):
        begun_ns = time.time_ns()
        function(x).sum().backward()
        window = begun_ns, time.time_ns()
    items = cpu_calls(seen.trace, [window])[0]
    return sorted(item.place.module for item in items if item.launch.name == KEPT)


def parameters(target: object) -> list[nn.Parameter]:
    return list(target.parameters()) if isinstance(target, nn.Module) else []


@pytest.mark.parametrize("backend", ["inductor", "eager"])
def test_each_gradient_has_the_module_of_its_parameter(backend: str) -> None:
    model = Model()
    compiled = torch.compile(model, backend=backend)
    layers = ["L['self'].layers.0"] * 2 + ["L['self'].layers.2"] * 2
    assert modules(compiled, model) == ["L['self']", *layers]
    # What torch.compile gives is a module with another name in between.
    assert modules(compiled, compiled) == ["L['self']", *layers]


def test_gradients_stay_what_they_are() -> None:
    model, x = Model(), torch.randn(2, 3, 16, 16)
    found = []
    for is_marked in (False, True, False):
        for leaf in model.parameters():
            leaf.grad = None
        if is_marked:
            with marked_gradients(model):
                model(x).sum().backward()
        else:
            model(x).sum().backward()
        found.append([leaf.grad for leaf in model.parameters() if leaf.grad is not None])
    for grads in zip(*found, strict=True):
        assert all(torch.equal(grads[0], other) for other in grads)


def test_compiled_autograd_does_not_see_the_marks() -> None:
    model = Model()
    compiled = torch.compile(model, backend="eager")
    x = torch.randn(2, 3, 16, 16)
    compiled(x).sum().backward()
    with (
        compiled_autograd._enable(torch.compile(backend="eager")),
        traced(with_device=False) as seen,
        marked_gradients(model),
    ):
        compiled(x).sum().backward()
    assert not [event.name for event in seen.trace.host if event.name.startswith(CALL_MARK)]
    assert all(leaf.grad is not None for leaf in model.parameters() if leaf.requires_grad)
