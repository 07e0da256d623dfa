"""How the calls of `inspect bench` follow one another: as in a loop, or with all put back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

from inspector.capture.bench.make_program import make_program
from inspector.capture.bench.program import Program, loop_of
from inspector.capture.target.target import load_target
from inspector.errors import UsageError
from inspector.shared.bench import WorkerRequest, Workload
from inspector.shared.request import Request

MODEL = """
import torch
from torch import nn

class Cache:
    def __init__(self):
        self.kept = []

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.norm = nn.Linear(4, 4), nn.BatchNorm1d(4)
        self.seen, self.how = [], "{how}"

    def forward(self, x, cache=None):
        self.seen.append((x.data_ptr(), torch.is_grad_enabled()))
        if self.how == "input":
            x.add_(1)
        if self.how == "silent":
            self.linear.weight.data.mul_(1.01)
        result = self.linear(x)
        if self.how == "buffer":
            return self.norm(result) + self.norm.running_mean
        if cache is not None:
            cache.kept.append(x)
            return result + len(cache.kept)
        return result

model = Net()
example_inputs = (torch.ones(8, 4), Cache()) if "{how}" == "cache" else (torch.ones(8, 4),)
"""
CALLS = 9


def program(folder: Path, how: str, workload: Workload | None = None) -> Program:
    file = folder / f"{how}_{os.getpid()}.py"
    file.write_text(MODEL.replace("{how}", how))
    work = workload or Workload()
    request = Request(str(file), no_grad=not work.train, measure=False, backend="eager")
    asked = WorkerRequest(
        request=request, workload=work, compiles_optimizer=False, eager=True, combination=0,
        session=0,
    )  # fmt: skip
    made = make_program(load_target(request), asked)
    made.prepare(0, restores=False)()  # what a call changes without a mark shows after the first
    return made


def seen(made: Program) -> list[tuple[int, bool]]:
    """Where the input of each call was, and whether gradients were on."""
    loop = loop_of(made, 0)
    net = made.plain
    net.seen.clear()  # type: ignore[attr-defined]
    with loop.context():
        for _ in range(CALLS):
            loop.next_call()()
    found: list[tuple[int, bool]] = net.seen  # type: ignore[attr-defined]
    return found


def test_what_changes_nothing_is_called_with_one_copy_as_by_hand(tmp_path: Path) -> None:
    found = seen(program(tmp_path, "nothing"))
    assert len(found) == CALLS
    assert len({place for place, _ in found}) == 1
    assert not any(with_gradients for _, with_gradients in found)


@pytest.mark.parametrize("how", ["input", "silent", "buffer", "cache"])
def test_what_changes_something_finds_it_put_back(tmp_path: Path, how: str) -> None:
    loop = loop_of(program(tmp_path, how), 0)
    with loop.context():  # more calls than copies that could take turns
        first, *others = [loop.next_call()() for _ in range(CALLS)]
    assert isinstance(first, torch.Tensor)
    assert all(torch.equal(first, other) for other in others)  # type: ignore[arg-type]


def test_training_begins_without_gradients_and_an_optimizer_is_put_back(tmp_path: Path) -> None:
    trained = program(tmp_path, "nothing", Workload(train=True))
    loop = loop_of(trained, 0)
    for _ in range(3):
        loop.next_call()()
        grad = trained.plain.linear.bias.grad  # type: ignore[attr-defined]
        assert torch.equal(grad, torch.full((4,), 8.0))  # of one call, not the sum of several
    stepped = program(tmp_path, "nothing", Workload(train=True, optimizer="SGD"))
    weight = stepped.plain.linear.weight  # type: ignore[attr-defined]
    stepped.state.restore()
    before = weight.detach().clone()
    loop = loop_of(stepped, 0)
    for _ in range(2):
        call = loop.next_call()
        assert torch.equal(weight, before)
        call()
        assert not torch.equal(weight, before)


@pytest.mark.parametrize(("command", "verb"), [("bench", "bench"), ("", "explain")])
def test_what_to_type_again_is_the_command_that_it_is_asked_for_by(
    tmp_path: Path, command: str, verb: str
) -> None:
    file = tmp_path / f"functions_{os.getpid()}.py"
    file.write_text("def one(x): return x\ndef two(x): return x\n")
    with pytest.raises(UsageError, match=f"inspect {verb} .*:two"):
        load_target(Request(str(file), command=command))
