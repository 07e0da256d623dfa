"""How calls of a profile follow one another: as in a loop, or with all put back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import pytest
import torch
from torch import nn

from inspector.capture import profile_calls
from inspector.capture.calls.back_to_back import BackToBack
from inspector.capture.calls.state import State
from inspector.capture.target.call import Call
from inspector.capture.target.target import Target
from inspector.shared.request import Request
from tests.compile.test_failed_calls import Profiles as Unmeasured

CALLS = 9


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear, self.norm = nn.Linear(4, 4), nn.BatchNorm1d(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.linear(x)
        return result


Function: TypeAlias = Callable[[Net, torch.Tensor], object]


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


def begun(net: Net, *functions: Function, x: torch.Tensor | None = None) -> BackToBack:
    """Calls behind a first call of each function: what it changes without a mark shows then."""
    given = torch.ones(8, 4) if x is None else x
    state = State(net)
    for function in functions:
        function(net, given.detach().clone().requires_grad_(given.requires_grad))
        state.look_again()
        state.begin_again()
    return BackToBack(Call((given,)), state)


def called(
    repeated: BackToBack, net: Net, *functions: Function
) -> list[tuple[torch.Tensor, object]]:
    """The argument of each call, and what the call gave; functions take turns."""
    found = []
    for number in range(CALLS):
        function = functions[number % len(functions)]
        prepared = repeated.prepared(function, partial(_call, function, net))
        found.append((prepared.arguments.args[0], prepared()))
    return found


def _call(function: Function, net: Net, call: Call) -> object:
    return function(net, *call.args)


def test_what_changes_nothing_is_called_with_one_copy_as_by_hand() -> None:
    net = Net()
    repeated = begun(net, plain)
    assert not repeated.repeats  # nothing is known yet
    places = [given.data_ptr() for given, _ in called(repeated, net, plain)[1:]]
    assert repeated.repeats
    assert len(places) == CALLS - 1
    assert len(set(places)) == 1
    repeated.end()
    held = [given for given, _ in called(repeated, net, plain)]
    assert len({given.data_ptr() for given in held}) == CALLS


@pytest.mark.parametrize("function", [normed, written, drawn])
def test_what_changes_something_finds_it_put_back(function: Function) -> None:
    net = Net()
    repeated = begun(net, function)
    results = [result for _, result in called(repeated, net, function)]
    assert all(torch.equal(results[0], other) for other in results)  # type: ignore[arg-type]
    assert not repeated.repeats


def test_another_input_finds_what_it_would_without_the_first() -> None:
    net = Net()
    state = State(net)
    one, other = (BackToBack(Call((torch.ones(size, 4),)), state) for size in (8, 6))

    def of_six(net: Net, x: torch.Tensor) -> object:
        if len(x) == 6:
            net.norm.running_var.add_(1)  # type: ignore[union-attr]
        return net.norm.running_var.clone()  # type: ignore[union-attr]

    for repeated in (one, other, one):
        for _, result in called(repeated, net, of_six):
            assert torch.equal(result, torch.full((4,), 1.0 + (repeated is other)))  # type: ignore[arg-type]
        repeated.end()


def test_gradients_are_those_of_one_call() -> None:
    net = Net()
    net.linear.bias.grad = torch.full((4,), 100.0)  # the program's own
    repeated = BackToBack(Call((torch.ones(8, 4, requires_grad=True),)), State(net))
    for _ in range(CALLS):
        prepared = repeated.prepared(trained, partial(_call, trained, net))
        prepared()
        (argument,) = prepared.arguments.args
        assert torch.equal(net.linear.bias.grad, torch.full((4,), 108.0))
        assert torch.allclose(argument.grad, net.linear.weight.detach().sum(0).expand(8, 4))
    assert repeated.repeats


class Profiles(Unmeasured):
    """Makes more calls of either kind."""

    def measure(self, _: int, run: Any, eager: Any, repeated: BackToBack) -> None:
        for make in (run, eager) * CALLS:
            make()()
        assert repeated.repeats

    def finish(self) -> None: ...


def test_each_call_is_without_gradients_whatever_the_one_before_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(profile_calls, "Profiles", Profiles)
    seen: list[bool] = []

    def model(x: torch.Tensor) -> torch.Tensor:
        seen.append(torch.is_grad_enabled())
        torch.set_grad_enabled(True)
        return x + 1

    calls = (Call((torch.ones(2),)), Call((torch.ones(3),)))
    target = Target("m", "m", model, calls, already_compiled=False, file=None, root="")
    request = Request("m.py", no_grad=True, profile=True, measure=False, backend="eager")
    profile_calls.call_profiled(target, request, model)
    assert seen == [False] * len(seen)
    assert len(seen) == 2 * (3 + 2 * CALLS)
    assert torch.is_grad_enabled()
