"""The calls of a target for `inspect profile`: until nothing compiles, then those it measures."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import torch

from inspector.capture import versions
from inspector.capture.alone.bench import Alone
from inspector.capture.back_to_back import BackToBack
from inspector.capture.call import Call, PreparedCall
from inspector.capture.calling import Ones, call_once, error_of, finished_call
from inspector.capture.execution import told
from inspector.capture.failed_call import FailedCall, failed_call
from inspector.capture.profiling.profiles import Profiles
from inspector.capture.quiet import quiet
from inspector.capture.ranks import agreed, meet
from inspector.capture.state import State
from inspector.capture.target import Target
from inspector.model.request import Request

_MOST_ROUNDS = 10  # of calls before a profile, should each of them compile something
_PLAIN: AbstractContextManager[None] = contextlib.nullcontext()


def call_profiled(target: Target, request: Request, function: Callable[..., object]) -> None:
    """Calls the target with each input until that compiles nothing, then profiles it.

    Raises:
        ModelFailedError: A call failed; ``detail`` is the user's own traceback.
        UsageError: Other processes of the job do not take part.
    """
    meet()  # before any call: one that no other process makes may wait until all is lost
    inputs = range(len(target.calls))
    made: list[int] = []  # the inputs of all calls, in their order
    ones = Ones()
    state = _first_state(target, request, ones)

    def call(index: int, number: int, watched: AbstractContextManager[None] = _PLAIN) -> None:
        # Before the very first nothing is to be put back, and no random number is drawn yet.
        if made:
            _begin_again(state)
        made.append(index)
        with told(index, number) as marks, quiet() if number else _PLAIN, watched:
            error = error_of(target, index, request, function, ones, marks)
            if error is not None:
                failed = FailedCall(target, index, error, number + 1, made=made)
                raise failed_call(failed, request) from error

    profiles = _profiles(target, request)
    number = _call_until_compiled(call, inputs, profiles)
    if not profiles.is_refused():
        _profile_all(target, request, function, (profiles, state, ones, made), number)


def _begin_again(state: State) -> None:
    state.look_again()
    state.begin_again()  # gradients may lie in the memory of a CUDA graph
    torch.compiler.cudagraph_mark_step_begin()


def _first_state(target: Target, request: Request, ones: Ones) -> State:
    """What calls may change, as it is before the first one.

    What a model makes in its first call and keeps (a static cache) is made without the compiler,
    as by a prefill: a compiled call would make it in the memory of a CUDA graph, which the next
    call overwrites.
    """
    state = State(target.function)
    if not torch.cuda.is_initialized() or versions.job() is not None:
        return state
    with torch.compiler.set_stance("force_eager"):
        for index in range(len(target.calls)):
            # A call that fails will fail in the same way when it is compiled, or need less memory.
            error_of(target, index, request, target.function, ones)
    try:
        state.restore()
        return State(target.function)
    except RuntimeError:  # CUDA cannot be used any more: the first compiled call says why
        return state


def _call_until_compiled(
    call: Callable[[int, int, AbstractContextManager[None]], None],
    inputs: Sequence[int],
    profiles: Profiles,
) -> int:
    """Calls all inputs again and again until that compiles nothing; gives how many rounds it took.

    With CUDA graphs the last but one of these rounds captures what the one before it compiled. A
    further round is watched closely and, where there are CUDA graphs, one more.
    """
    is_warm, number = False, 0
    while not is_warm and number < _MOST_ROUNDS:
        before = versions.compilations()
        for index in inputs:
            call(index, number, profiles.capturing(index) if number else _PLAIN)
        is_warm = agreed(number > 0 and versions.compilations() == before)
        number += 1
    for index in inputs:
        call(index, number, profiles.closely(index))
    if agreed(profiles.has_replays()):
        number += 1
        for index in inputs:
            call(index, number, profiles.around_replays(index))
    return number + 1


def _profiles(target: Target, request: Request) -> Profiles:
    return Profiles(
        target,
        counters=request.counters,
        fresh_ceilings=request.fresh_ceilings,
        seconds=request.seconds,
        alone=None if request.kernel is None else Alone(request.kernel, request.launch),
    )


def _profile_all(
    target: Target,
    request: Request,
    function: Callable[..., object],
    kept: tuple[Profiles, State, Ones, list[int]],
    number: int,
) -> None:
    """Profiles the warm calls, of which so many were made before with each input."""
    with torch.no_grad() if request.no_grad else contextlib.nullcontext():
        for index in range(len(target.calls)):
            with told(index, number):
                _profile(target, index, request, function, kept)
        kept[0].finish()


def _profile(
    target: Target,
    index: int,
    request: Request,
    function: Callable[..., object],
    kept: tuple[Profiles, State, Ones, list[int]],
) -> None:
    """Profiles the warm calls with one input."""
    profiles, state, ones, made = kept
    back_to_back = BackToBack(target.calls[index], state)
    without, is_compiled = 0, True

    def make(call: Call, called: Callable[..., object]) -> None:
        if request.no_grad:
            finished_call(call, called)
        else:
            call_once(call, request, called, ones)

    def prepared(called: Callable[..., object]) -> PreparedCall:
        nonlocal without, is_compiled
        made.append(index)
        is_compiled = called is function
        without += not is_compiled
        if request.no_grad:
            torch.set_grad_enabled(False)  # here, where it is no part of the call
        return back_to_back.prepared(is_compiled, lambda call: make(call, called))

    run, eager = (functools.partial(prepared, each) for each in (function, target.function))
    try:
        with quiet():
            profiles.measure(index, run, eager, back_to_back)
    except Exception as error:
        number = made.count(index) - without if is_compiled else 0
        failed = FailedCall(target, index, error, number, made)
        raise failed_call(failed, request) from error
