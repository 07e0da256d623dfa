"""How calls of a profile follow one another: as in a loop, or with all put back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from inspector.capture.benching.blocks import block
from inspector.capture.benching.loop import Loop
from inspector.capture.call import Call
from inspector.capture.profiling import device, faults
from inspector.capture.profiling.measured import Block, Measured
from inspector.capture.state import State
from inspector.capture.turns import Turns

CALLS = 9
COPIES = 4


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear, self.norm = nn.Linear(4, 4), nn.BatchNorm1d(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.linear(x)
        return result


def normed(net: Net, x: torch.Tensor) -> object:
    return net.norm(net(x)) + net.norm.running_mean


def written(net: Net, x: torch.Tensor) -> object:
    return net(x.add_(1))


def drawn(net: Net, x: torch.Tensor) -> object:
    return net(x) + torch.rand(1)


def trained(net: Net, x: torch.Tensor) -> object:
    return net(x).sum().backward()


def plain(net: Net, x: torch.Tensor) -> object:
    return net(x)


CHANGING = [normed, written, drawn]


def made(
    net: Net, *functions: Callable[[Net, torch.Tensor], object]
) -> tuple[Turns, list[tuple[int, object]]]:
    """Where the argument of each call was, and what the call gave; functions take turns."""
    given, state, found = torch.ones(8, 4), State(net), []
    for function in functions:  # what a call changes without a mark shows after the first
        function(net, given.clone())
        state.look_again()
        state.begin_again()
    turns = Turns(Call((given,)), state)
    for number in range(CALLS):
        function = functions[number % len(functions)]
        (argument,) = turns.next(function).args
        found.append((argument.data_ptr(), function(net, argument)))
    return turns, found


def test_what_changes_nothing_is_called_with_copies_in_turns() -> None:
    turns, found = made(Net(), plain)
    places = [place for place, _ in found[1:]]  # the first shows what it changes
    assert len(set(places)) == COPIES
    assert places[COPIES:] == places[:-COPIES]
    turns.end()
    held = [turns.next(plain) for _ in range(3)]
    assert len({call.args[0].data_ptr() for call in held}) == 3


@pytest.mark.parametrize("function", CHANGING)
def test_what_changes_something_finds_it_put_back(
    function: Callable[[Net, torch.Tensor], object],
) -> None:
    _, found = made(Net(), function)
    results = [result for _, result in found]
    assert all(torch.equal(results[0], other) for other in results)  # type: ignore[arg-type]


def test_of_two_kinds_the_one_that_changes_something_is_enough() -> None:
    net = Net()
    turns, _ = made(net, plain, normed)
    buffer = net.norm.running_mean
    assert buffer is not None
    normed(net, torch.ones(8, 4))
    assert buffer.count_nonzero()
    turns.next(plain)  # by itself it changes nothing
    assert not buffer.count_nonzero()


def test_what_cannot_be_compared_is_copied_each_time() -> None:
    cache: list[object] = []
    turns = Turns(Call((type("Cache", (), {"kept": cache})(),)), State(Net()))
    given = [turns.next(plain).args[0] for _ in range(3)]
    assert len({id(each) for each in given}) == 3


def test_gradients_are_those_of_one_call() -> None:
    net = Net()
    x = torch.ones(8, 4, requires_grad=True)
    net.linear.bias.grad = torch.full((4,), 100.0)  # the program's own
    turns = Turns(Call((x,)), State(net))
    for _ in range(CALLS):
        (argument,) = turns.next(trained).args
        trained(net, argument)
        assert torch.equal(net.linear.bias.grad, torch.full((4,), 108.0))
        assert torch.allclose(argument.grad, net.linear.weight.detach().sum(0).expand(8, 4))


def test_the_system_is_not_asked_between_calls_that_follow_one_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []
    monkeypatch.setattr(
        "inspector.capture.benching.blocks.page_faults", lambda: asked.append(1) or len(asked)
    )
    loop = Loop(lambda: lambda: None, torch.no_grad, lambda: None)
    found = block(loop, CALLS, None)
    assert len(asked) == 2
    assert found["page_faults"] == 1
    assert len(found["times_ns"]) == CALLS  # type: ignore[arg-type]
    asked.clear()
    restoring = Loop(lambda: lambda: None, torch.no_grad, lambda: None, restores=True)
    assert block(restoring, CALLS, None)["page_faults"] == CALLS
    assert len(asked) == 2 * CALLS


def test_of_a_profile_one_call_in_eight_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(
        "inspector.capture.profiling.measured.page_faults", lambda: asked.append(1) or len(asked)
    )
    measured = Measured({})
    for kind in ("plain", "eager"):
        measured.time_block(Block(kind, 0, 17), lambda: lambda: None, untimed=1)
    assert measured.faults == measured.eager_faults == [1, 1, 1]
    assert len(measured.plain) == len(measured.eager) == 17


def test_without_devices_nothing_is_waited_for() -> None:
    if not device.cuda_devices():
        assert device.waiting() is not device.wait
        device.waiting()()
    assert faults.page_faults() >= 0
