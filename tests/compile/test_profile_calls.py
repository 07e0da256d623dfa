"""How the calls of a profile are made: in alternating rounds, and with what is kept on failure."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import torch

from inspector.capture import profile_calls
from inspector.capture.calls.back_to_back import BackToBack
from inspector.capture.calls.calling import LOSS_MARK, Ones, backward
from inspector.capture.calls.state import State
from inspector.capture.profiling import in_place, measured
from inspector.capture.profiling.explained import explained_on_cpu
from inspector.capture.profiling.in_place import Attribution, attributed, profile_in_place
from inspector.capture.profiling.measured import Explained
from inspector.capture.profiling.sequence import significant
from inspector.capture.profiling.trace import Launched, Trace, traced
from inspector.capture.profiling.wrapper_lines import LINE_MARK, calling_marks
from inspector.capture.target.call import Call, arguments_of
from inspector.capture.target.target import Target
from inspector.capture.timeline.kineto import HostEvent
from inspector.records.device_profile import (
    CallBlock,
    DeviceLaunch,
    DeviceProfile,
    FailedCall,
    ProfiledArgument,
)
from inspector.shared.request import Request
from tests.compile.test_failed_calls import Profiles as Unmeasured


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
            BackToBack(Call(), State(lambda: None)),
            seconds=1.0,
        )


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[DeviceProfile]]:
    """What is written; each phase has few calls, so that none takes long."""
    found: list[DeviceProfile] = []
    finished = {"device_profile": found}
    monkeypatch.setattr(
        measured, "emit", lambda record, name: finished.get(name, []).append(record)
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


def test_the_first_round_is_written_as_soon_as_it_is_made(
    written: list[DeviceProfile], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ends the process in a later round leaves a report on the first."""
    program = Program()
    seen: list[tuple[str, int, DeviceProfile]] = []
    monkeypatch.setattr(
        measured, "emit", lambda record, name: seen.append((name, len(program.made), record))
    )
    program.profile()
    assert written == []
    (first, calls, fields), *others = [each for each in seen if "device_profile" in each[0]]
    assert (first, [name for name, *_ in others]) == ("device_profile_so_far", ["device_profile"])
    # Four of each kind until times are stable; then, with one before each block that does not
    # count, five plain calls, three that are watched, and five eager ones.
    assert calls == 4 + 4 + (1 + 5) + (1 + 3) + (1 + 5)
    assert fields.blocks == (CallBlock("plain", 0, 5), CallBlock("eager", 0, 5))
    assert (len(fields.plain_ns), len(fields.watched_ns), len(fields.eager_ns)) == (5, 3, 5)
    assert fields.launches
    assert len(program.made) > calls


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


def test_what_the_calls_are_made_with_is_written(written: list[DeviceProfile]) -> None:
    inner = {"mask": torch.ones(3, dtype=torch.bool), "name": "no number"}
    call = Call((torch.ones(2, 5), [torch.tensor(1.0), 3]), {"scale": 0.5, "inner": inner})
    expected = (
        ProfiledArgument("float32", (2, 5)), ProfiledArgument("float32"),
        ProfiledArgument(value="3"), ProfiledArgument(value="0.5"), ProfiledArgument("bool", (3,)),
    )  # fmt: skip
    Program().profile(arguments_of(call))
    assert written[0].arguments == expected


def test_calls_of_seconds_are_not_made_once_more(
    written: list[DeviceProfile], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_place, "is_settled", lambda times: len(times) >= 1)
    plan = in_place.Plan(rounds=3, calls=1, watched=1, untimed=0)
    monkeypatch.setattr(in_place, "make_plan", lambda *_: plan)
    program = Program()
    program.profile()
    (fields,) = written
    assert (len(fields.plain_ns), len(fields.eager_ns)) == (3, 3)
    assert collections.Counter(program.made) == {"compiled": 6, "eager": 3}


def test_the_sum_of_the_outputs_is_in_no_call_after_the_first() -> None:
    weight = torch.randn(8, 8, requires_grad=True)
    x = torch.randn(4, 8)
    ones = Ones()

    def called(kept: Ones | None) -> tuple[Any, list[str]]:
        weight.grad = None
        with traced(with_device=False) as seen:
            backward({"a": x @ weight, "b": [(x @ weight).relu(), 3], "c": x}, kept)
        marked = [event for event in seen.trace.host if event.name == LOSS_MARK]
        assert len(marked) == 1
        inside = [
            event.name
            for event in seen.trace.host
            if marked[0].start_ns < event.start_ns and event.end_ns <= marked[0].end_ns
        ]
        return weight.grad, inside

    summed, inside = called(None)
    assert "aten::sum" in inside
    first, inside = called(ones)
    assert "aten::ones_like" in inside
    again, inside = called(ones)
    assert inside == []
    assert torch.equal(first, again)
    torch.testing.assert_close(first, summed)


def test_kernels_and_operators_are_kept_however_short_they_are() -> None:
    torch._dynamo.reset()
    torch.compile(lambda x: torch.relu(x @ x) + 1)(torch.randn(4, 4))
    marks = calling_marks()
    assert len(marks) >= 2
    assert all(name.startswith(LINE_MARK) for name in marks)
    short = [*marks, "aten::select", f"{LINE_MARK}none:1"]
    done = [Launched(DeviceLaunch("cpu", name), 0, 900) for name in short]
    (kept,) = significant([done])
    assert {item.launch.name for item in kept} == {*marks, "aten::select"}
    torch._dynamo.reset()


def test_of_all_watched_calls_the_most_usual_one_says_what_the_host_does() -> None:
    windows = [(0, 9_000), (10_000, 14_000), (20_000, 21_100)]
    trace = Trace([HostEvent("cpu_op", "aten::mm", 1, 10_500, 12_500)], [])
    times = [end_ns - begin_ns for begin_ns, end_ns in windows]
    found = explained_on_cpu(trace, (times, windows), [4_100, 3_900, 90_000], Explained())
    assert (found.wall_ns, dict(found.idle_ns)) == (4_000, {"outside": 2_000})
    usual = dataclasses.replace(found, wall_ns=1_000)
    again = explained_on_cpu(trace, (times, windows), [1_000], usual)
    assert again is usual
    assert explained_on_cpu(trace, (times, windows), [1_200], usual).wall_ns == 1_100
    # The first call is cold, and explains nothing.
    cold = explained_on_cpu(trace, (times, windows), [9_000], Explained(), 1)
    assert cold.wall_ns == 4_000


class Growing(torch.nn.Module):
    """Makes what it keeps in its first call, as a static cache does; later calls are others."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: torch.Tensor | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.kept is None:
            self.kept = torch.zeros_like(x)
        self.kept.add_(x)
        return self.kept * 2


class Watching(Unmeasured):
    """Says which call is watched."""

    def __init__(self, target: Target, **_: object) -> None:
        self.target = target

    def closely(self, *_: object) -> contextlib.AbstractContextManager[None]:
        watched.append(len(compiled))
        return attributed(Attribution(), self.target.function)

    def finish(self) -> None: ...


watched: list[int] = []
compiled: list[bool] = []


def test_nothing_is_traced_before_calls_compile_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """By torch itself two calls compile here, and the third does not."""

    def backend(graph: torch.fx.GraphModule, _: object) -> Callable[..., Any]:
        compiled.append(sys.gettrace() is not None)
        return graph.forward

    monkeypatch.setattr(profile_calls, "Profiles", Watching)
    model = Growing()
    target = Target("m", "m", model, (Call((torch.ones(3),)),), already_compiled=False, file=None,
                    root="")  # fmt: skip
    request = Request("m.py", no_grad=True, profile=True, measure=False, backend="eager")
    profile_calls.call_profiled(target, request, torch.compile(model, backend=backend))
    assert compiled == [False, False]
    assert watched == [2]
