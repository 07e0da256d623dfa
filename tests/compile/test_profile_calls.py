"""How the calls of a profile are made: in alternating rounds, and with what is kept on failure."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import torch

from inspector.capture.calls.calling import LOSS_MARK, Ones, backward
from inspector.capture.profiling import in_place, measured
from inspector.capture.profiling.in_place import Attribution, profile_in_place
from inspector.capture.timeline.trace import traced
from inspector.records.device_profile import DeviceProfile, FailedCall, ProfiledArgument


class Program:
    """A function that is compiled, and that may fail in one of its calls."""

    def __init__(self, fails_in: int = 0) -> None:
        self.calls = 0
        self.made: list[str] = []
        self._fails_in = fails_in
        self._x = torch.randn(32, 32)
        self._eager: Callable[[Any], Any] = lambda x: torch.relu(x @ x).sum()
        self._compiled = torch.compile(self._eager)
        self._compiled(self._x)

    def prepared(self, kind: str) -> Callable[[], object]:
        def call() -> object:
            self.calls += 1
            self.made.append(kind)
            if self.calls == self._fails_in:
                raise RuntimeError("boom\nand more")
            return (self._compiled if kind == "compiled" else self._eager)(self._x)

        return call

    def profile(self, arguments: Sequence[ProfiledArgument] = ()) -> None:
        profile_in_place(
            0,
            (lambda: self.prepared("compiled"), lambda: self.prepared("eager")),
            Attribution(),
            arguments,
            seconds=1.0,
        )


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[DeviceProfile]]:
    """What is written; each phase has few calls, so that none takes long."""
    found: list[DeviceProfile] = []
    finished = {"device_profile": found}
    monkeypatch.setattr(
        measured, "emit", lambda record: finished.get(record.names[0], []).append(record)
    )
    monkeypatch.setattr(in_place, "is_settled", lambda times: len(times) >= 4)
    monkeypatch.setattr(in_place, "_AT_ONCE", 1)
    plan = in_place.Plan(rounds=4, calls=5, watched=3, untimed=1)
    monkeypatch.setattr(in_place, "make_plan", lambda *_: plan)
    yield found
    torch._dynamo.reset()


def test_compiled_and_eager_calls_alternate_and_their_blocks_are_known(
    written: list[DeviceProfile],
) -> None:
    Program().profile()
    (fields,) = written
    assert [(block.kind, block.round) for block in fields.blocks] == [
        ("plain", 0), ("eager", 0), ("eager", 1), ("plain", 1),
        ("plain", 2), ("eager", 2), ("eager", 3), ("plain", 3),
    ]  # fmt: skip
    assert {block.calls for block in fields.blocks} == {5}
    assert (len(fields.plain_ns), len(fields.eager_ns)) == (20, 20)
    assert len(fields.watched_ns) == 12
    assert len(fields.calls) + fields.other_calls == 12
    assert fields.error is None


def test_going_back_and_forth_compiles_nothing_again(written: list[DeviceProfile]) -> None:
    program = Program()
    counters = torch._dynamo.utils.counters
    before = collections.Counter(counters["stats"])
    with torch.compiler.set_stance("default"):
        program.profile()
    assert collections.Counter(counters["stats"]) == before
    assert len(written) == 1
    # The compiled code is what is called again: a guard that fails would raise.
    with torch.compiler.set_stance("fail_on_recompile"):
        program.prepared("compiled")()


@pytest.mark.parametrize(
    ("fails_in", "what", "number"),
    [(3, "warm-up", 3), (6, "eager", 2), (11, "plain", 3), (16, "watched", 2), (20, "eager", 6)],
)
def test_what_was_measured_before_a_call_failed_is_written(
    written: list[DeviceProfile], fails_in: int, what: str, number: int
) -> None:
    program = Program(fails_in)
    with pytest.raises(RuntimeError, match="boom"):
        program.profile()
    (fields,) = written
    assert fields.error == FailedCall(what, number, "RuntimeError: boom")
    assert fields.plain_ns
    assert program.calls == fails_in
    assert sum(block.calls for block in fields.blocks if block.kind == "eager") == len(
        fields.eager_ns
    )
    if what == "watched":
        assert (len(fields.plain_ns), fields.eager_ns) == (5, ())
    if fails_in == 20:  # the watched calls of the first round are there
        assert len(fields.watched_ns) == len(fields.calls) + fields.other_calls == 3


def test_where_eager_calls_have_no_memory_compiled_ones_are_measured(
    written: list[DeviceProfile], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Program()

    def lacking(_: object) -> object:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20 GiB.")

    monkeypatch.setattr(program, "_eager", lacking)
    program.profile()
    (fields,) = written
    assert fields.error.what == "eager"
    assert not fields.eager_ns
    assert fields.watched_ns
    assert program.made.count("eager") == 1


def test_the_sum_of_the_outputs_is_in_no_call_after_the_first() -> None:
    weight = torch.randn(8, 8, requires_grad=True)
    x = torch.randn(4, 8)
    ones = Ones()

    def called() -> tuple[Any, list[str]]:
        weight.grad = None
        with traced(with_device=False) as seen:
            backward({"a": x @ weight, "b": [(x @ weight).relu(), 3], "c": x}, ones)
        marked = [event for event in seen.trace.host if event.name == LOSS_MARK]
        assert len(marked) == 1
        inside = [
            event.name
            for event in seen.trace.host
            if marked[0].start_ns < event.start_ns and event.end_ns <= marked[0].end_ns
        ]
        return weight.grad, inside

    first, inside = called()
    assert "aten::ones_like" in inside
    again, inside = called()
    assert inside == []
    assert torch.equal(first, again)
    (summed,) = torch.autograd.grad(((x @ weight) + (x @ weight).relu()).sum(), weight)
    torch.testing.assert_close(first, summed)
