"""What is said about a call that fails: which one it was, and whether the compiler is to blame."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from inspector.capture import profile_calls
from inspector.capture.bench.failing import failing
from inspector.capture.execution.execution import compiled
from inspector.capture.execution.explain_calls import call_target
from inspector.capture.target.call import Call
from inspector.capture.target.target import Target, load_target
from inspector.errors import ModelFailedError
from inspector.features.breaks.rules.compile_error import error_fix
from inspector.shared.request import Request


class Failing:
    """Fails in some of its calls, counted from 1 by what nobody can put back."""

    def __init__(self, *fails_in: int) -> None:
        self._numbers = itertools.count(1)
        self._fails_in = fails_in

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        if next(self._numbers) in self._fails_in:
            raise RuntimeError("boom\nand more")
        return x


class Profiles:
    """Makes calls with the compiler and without it, and measures nothing."""

    def __init__(self, *_: object, **__: object) -> None: ...

    def closely(self, *_: object) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    capturing = closely

    def has_replays(self) -> bool:
        return False

    def measure(self, _: int, run: Any, eager: Any, _end: Any) -> None:
        for make in (run, run, eager, eager, run):
            make()()


def make_calls(target: Target, request: Request, function: Callable[..., Any]) -> None:
    make = profile_calls.call_profiled if request.profile else call_target
    make(target, request, function)


def said(function: Failing, inputs: int = 1, **settings: Any) -> str:
    calls = tuple(Call((torch.ones(1),)) for _ in range(inputs))
    target = Target("Net", "Net", function, calls, already_compiled=False, file=None, root="")

    def compiled(x: torch.Tensor) -> torch.Tensor:
        return function(x)

    request = Request("model.py", **{"measure": False, "backend": "eager", **settings})
    with pytest.raises(ModelFailedError) as raised:
        make_calls(target, request, compiled)
    return raised.value.message


@pytest.fixture
def profiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_calls, "Profiles", Profiles)


ERROR = "(RuntimeError: boom)"


def test_the_first_call_is_every_call() -> None:
    assert said(Failing(1)) == f"Net runs without torch.compile but fails with it {ERROR}."
    assert said(Failing(1, 2)) == (
        "Net fails when called with its inputs, also without torch.compile: RuntimeError: boom."
    )


def test_for_a_gpu_it_says_which() -> None:
    assert said(Failing(1), gpu="h200") == (
        f"Net runs without torch.compile but fails with it when compiled for h200 {ERROR}."
    )
    told = said(Failing(2), gpu="h200")
    assert "for the 2nd time when compiled for h200 (" in told


def on_two_devices(x: torch.Tensor) -> torch.Tensor:
    return x + torch.ones(3, device=AWAY)


AWAY = "cpu"


def test_the_line_that_dynamo_was_at_is_named_and_its_mistake_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls, place = (Call((torch.ones(3),)),), Path(__file__)
    target = Target(
        "f", "f", on_two_devices, calls, already_compiled=False, file=None, root=str(place.parent)
    )
    line = on_two_devices.__code__.co_firstlineno + 1
    errors: list[str] = []
    request = Request("model.py", measure=False, backend="eager")

    def compiled(x: torch.Tensor) -> torch.Tensor:
        with monkeypatch.context() as away:
            away.setitem(globals(), "AWAY", "meta")
            try:
                return torch.compile(on_two_devices, backend="eager")(x)  # type: ignore[no-any-return]
            except RuntimeError as error:
                errors.append(str(error))
                raise

    with pytest.raises(ModelFailedError) as raised:
        call_target(target, request, compiled)
    message = raised.value.message
    assert message.startswith(f"f runs without torch.compile but fails with it at {place.name}:")
    assert f"{place.name}:{line} (" in message
    assert "`x.new_zeros(…)`" in error_fix(errors[0])


def test_a_later_call_has_its_number() -> None:
    assert said(Failing(2)) == (
        "Net fails with torch.compile when called for the 2nd time "
        f"{ERROR}. The same call without torch.compile succeeds."
    )
    # Each of two inputs is called once before any is called again.
    assert "called with input 2 for the 2nd time (" in said(Failing(4), 2)


def test_calls_that_are_measured_are_counted() -> None:
    assert "called for the 3rd time (" in said(Failing(3), measure=True)
    assert "called for the 5th time (" in said(Failing(5), measure=True)


@pytest.mark.usefixtures("profiled")
def test_calls_of_a_profile_are_counted_and_those_without_the_compiler_told_apart() -> None:
    assert "called for the 4th time (" in said(Failing(4), profile=True)
    assert "for the 2nd time, also without torch.compile: RuntimeError: boom." in said(
        Failing(2, 3), profile=True
    )
    for fails_in in ((6,), (6, 7)):
        assert said(Failing(*fails_in), profile=True) == (
            f"Net fails without torch.compile {ERROR}, although earlier calls succeeded."
        )
    # The 8th call of all, of which two were made without the compiler.
    assert "called for the 6th time (" in said(Failing(8), profile=True)
    assert "called with input 2 for the 4th time (" in said(Failing(12), 2, profile=True)


MIXED = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.wide = torch.nn.Linear(4, 4).double()

    def forward(self, x):
        return self.wide(x.double())

model = Net()
example_inputs = (torch.ones(2, 4),)
"""


def test_a_dtype_that_a_mixed_model_does_not_bear_is_named(tmp_path: Path) -> None:
    file = tmp_path / "mixed.py"
    file.write_text(MIXED)
    request = Request(str(file), dtype="f32", measure=False, backend="eager")
    target = load_target(request)
    with pytest.raises(ModelFailedError) as raised:
        call_target(target, request, compiled(target, request))
    assert "also without torch.compile: RuntimeError: " in raised.value.message
    assert raised.value.next_step.startswith("Drop --dtype f32;")
    with (
        pytest.raises(ModelFailedError) as timed,
        failing(target, "", "", is_eager=True, request=request),
    ):
        target.function(*target.calls[0].args)
    assert timed.value.next_step == raised.value.next_step


def rows(table: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.embedding(index, table)


def breaks(x: torch.Tensor) -> torch.Tensor:
    torch._dynamo.graph_break()
    return x + 1
