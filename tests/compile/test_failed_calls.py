"""What is said about a call that fails: which one it was, and whether the compiler is to blame."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
import torch

from inspector.capture import execution
from inspector.capture.call import Call
from inspector.capture.execution import call_target
from inspector.capture.target import Target
from inspector.errors import ModelFailedError
from inspector.findings.compile_error_fixes import error_fix
from inspector.model.request import Request


class Failing:
    """Fails in some of its calls, counted from 1."""

    def __init__(self, *fails_in: int) -> None:
        self.calls = 0
        self._fails_in = fails_in

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        if self.calls in self._fails_in:
            raise RuntimeError("boom\nand more")
        return x


class Profiles:
    """Makes calls with the compiler and without it, and measures nothing."""

    def __init__(self, *_: object, **__: object) -> None: ...

    def closely(self, *_: object) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def is_refused(self) -> bool:
        return False

    def measure(self, _: int, run: Any, eager: Any) -> None:
        for make in (run, run, eager, eager, run):
            make()()


def said(function: Failing, inputs: int = 1, **settings: Any) -> str:
    calls = tuple(Call((torch.ones(1),)) for _ in range(inputs))
    target = Target("Net", "Net", function, calls, already_compiled=False, file=None, root="")

    def compiled(x: torch.Tensor) -> torch.Tensor:
        return function(x)

    request = Request("model.py", **{"measure": False, "backend": "eager", **settings})
    with pytest.raises(ModelFailedError) as raised:
        call_target(target, request, compiled)
    return raised.value.message


@pytest.fixture
def profiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "Profiles", Profiles)


ERROR = "(RuntimeError: boom)"


def test_the_first_call_is_every_call() -> None:
    assert said(Failing(1)) == f"Net runs without torch.compile and fails with it {ERROR}."
    assert said(Failing(1, 2)) == (
        "Net fails when it is called with its inputs, also without torch.compile."
    )


def test_for_a_gpu_it_says_which() -> None:
    assert said(Failing(1), gpu="h200") == (
        f"Net runs without torch.compile and fails with it when it is compiled for h200 {ERROR}."
    )
    assert "for the 2nd time when it is compiled for h200 (" in said(Failing(2), gpu="h200")


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
    assert message.startswith(f"f runs without torch.compile and fails with it at {place.name}:")
    assert f"{place.name}:{line} (" in message
    assert "`x.new_zeros(…)`" in error_fix(errors[0])


def test_a_later_call_has_its_number() -> None:
    assert said(Failing(2)) == (
        f"Net fails with torch.compile when it is called for the 2nd time {ERROR}; a call without "
        "torch.compile after it does not."
    )
    assert said(Failing(2, 3)) == (
        "Net fails when it is called for the 2nd time, also without torch.compile."
    )
    # Each of two inputs is called once before any is called again.
    assert "called with input 2 for the 2nd time (" in said(Failing(4), 2)


def test_calls_that_are_measured_are_counted() -> None:
    assert "called for the 3rd time (" in said(Failing(3), measure=True)
    assert "called for the 5th time (" in said(Failing(5), measure=True)


@pytest.mark.usefixtures("profiled")
def test_calls_of_a_profile_are_counted_and_those_without_the_compiler_told_apart() -> None:
    assert "called for the 3rd time (" in said(Failing(3), profile=True)
    assert said(Failing(5), profile=True) == (
        f"A call of Net without torch.compile fails between others that do not {ERROR}."
    )
    assert said(Failing(5, 6), profile=True) == (
        f"Calls of Net fail without torch.compile, behind others that do not {ERROR}."
    )
    # The 7th call of all, of which two were made without the compiler.
    told = said(Failing(7), profile=True)
    assert "called for the 5th time (behind 2 calls without the compiler) (" in told
    assert "called with input 2 for the 3rd time (" in said(Failing(10), 2, profile=True)
