"""What is put back between measured calls."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from inspector.capture.calls.state import State

pytestmark = pytest.mark.compile


def training(optimizer: Any, net: Any) -> Callable[[], None]:
    def step() -> None:
        optimizer.zero_grad()
        net(torch.ones(3)).sum().backward()
        optimizer.step()

    return step


def test_what_the_first_step_of_an_optimizer_makes_stays() -> None:
    """New tensors in each call would be compiled for again, until the recompile limit."""
    net = torch.nn.Linear(3, 1)
    optimizer = torch.optim.Adam(net.parameters())
    step = training(optimizer, net)
    before = net.weight.detach().clone()
    state = State(step)
    step()
    state.begin_again()
    kept = dict(optimizer.state[net.weight])
    values = {name: value.clone() for name, value in kept.items()}
    for _ in range(2):
        step()
        assert not torch.equal(net.weight, before)
        assert not torch.equal(kept["step"], values["step"])
        state.begin_again()
        assert torch.equal(net.weight, before)
        entry = optimizer.state[net.weight]
        assert all(entry[name] is value for name, value in kept.items())
        assert all(torch.equal(entry[name], value) for name, value in values.items())
    step()
    state.restore()
    assert not optimizer.state
    assert torch.equal(net.weight, before)


def test_what_a_call_keeps_for_others_is_taken_away() -> None:
    net = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    state = State(training(optimizer, net))
    optimizer.state[torch.ones(1)]["own"] = 1
    state.restore()
    assert not optimizer.state


class Branches(torch.nn.Module):
    """A batch norm that not all inputs reach; it changes its buffers without a trace."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(4)

    def forward(self, x: torch.Tensor, *, norms: bool) -> torch.Tensor:
        result: torch.Tensor = self.norm(x) if norms else x
        return result


def test_what_another_input_changes_without_a_trace_is_put_back() -> None:
    model, x = Branches(), torch.randn(8, 4)
    state = State(model)
    for _ in range(3):
        for norms in (False, True):
            model(x, norms=norms)
            state.look_again()
            state.begin_again()
    assert torch.equal(model.norm.running_mean, torch.zeros(4))
    model(x, norms=True)
    state.begin_again()  # from now on it is known to change
    assert torch.equal(model.norm.running_mean, torch.zeros(4))
