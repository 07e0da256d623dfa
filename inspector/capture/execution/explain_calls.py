"""The calls of a target for `inspect explain`: each input twice, then as often as is measured."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable

import torch

from inspector.capture.calls.calling import call_once, error_of
from inspector.capture.calls.ranks import is_of_others, meet
from inspector.capture.calls.state import State
from inspector.capture.execution.execution import recorded_call
from inspector.capture.execution.failed_call import FailedCall, failed_call
from inspector.capture.quiet import quiet
from inspector.capture.target.call import Call
from inspector.capture.target.target import Target
from inspector.capture.timeline.measure import measure, write_copy_rates
from inspector.capture.writer import emit, guarded
from inspector.errors import InspectorError
from inspector.records.calls import Unmeasured
from inspector.shared.out_of_memory import lacks_memory
from inspector.shared.request import Request

# The first call with each input compiles, the second shows whether anything compiles again.
_UNMEASURED_CALLS = 2


def call_target(target: Target, request: Request, function: Callable[..., object]) -> None:
    """Calls the target with each input, then once more, then as often as it is measured.

    Every input is called once before any is called again, so that what the first calls show is not
    mixed with what later ones add.

    Raises:
        ModelFailedError: A call failed; ``detail`` is the user's own traceback.
    """
    if request.measure:
        meet()  # before any call: one that no other process makes may wait until all is lost
    inputs = range(len(target.calls))
    given = _before_all(target)
    for number, index in itertools.product(range(_UNMEASURED_CALLS), inputs):
        if given is not None and (number, index) == (1, 0):
            given.restore()
        with recorded_call(index, number) as seen, quiet() if number else contextlib.nullcontext():
            error = error_of(target, index, request, function, seen=seen)
            if error is not None:
                _tell(FailedCall(target, index, error, number + 1), request)
                return
    if request.measure:
        for index in inputs:
            with recorded_call(index, _UNMEASURED_CALLS):
                _measure(target, index, request, function)
        guarded("measure memory", write_copy_rates)


def _tell(failed: FailedCall, request: Request) -> None:
    """Says that no further call can be made, where a call fails by itself that only we make.

    The user's program calls the model once with each input, and these calls did not fail.

    Raises:
        InspectorError: It is another call, or the compiler's fault.
    """
    error, target = failed.error, failed.target
    is_told = isinstance(error, InspectorError) or is_of_others(error)
    if failed.number > 1 and not is_told and not lacks_memory(f"{type(error).__name__}: {error}"):
        with torch.compiler.set_stance("force_eager"), quiet():
            raised = error_of(target, failed.index, request, target.function)
        if raised is not None:
            said = f"{type(raised).__name__}: {raised}".strip().partition("\n")[0]
            emit(Unmeasured(failed.index, said))
            return
    raise failed_call(failed, request) from error


def _before_all(target: Target) -> State | None:
    """What several inputs find first: a further call with one of them is to find it again.

    A model that counts, or fills a cache, is called in their order by its user. One input alone may
    be that of many calls, of which the second shows whether it is compiled again.
    """
    if len(target.calls) == 1:
        return None
    return State(target.function, with_attributes=True)


def _measure(target: Target, index: int, request: Request, function: Callable[..., object]) -> None:
    made = _UNMEASURED_CALLS

    def run(call: Call) -> None:
        nonlocal made
        made += 1
        call_once(call, request, function)

    try:
        with quiet():
            measure(target, index, request, run)
    except Exception as error:  # noqa: BLE001 - whatever the user's model raises
        _tell(FailedCall(target, index, error, made), request)
