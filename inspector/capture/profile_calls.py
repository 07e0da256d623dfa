"""The calls of a target for `inspect profile`: until nothing compiles, then those it measures."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from contextlib import AbstractContextManager

import torch

from inspector.capture import versions
from inspector.capture.calls.back_to_back import BackToBack
from inspector.capture.calls.calling import Ones, call_once, error_of, finished_call
from inspector.capture.calls.ranks import agreed, meet
from inspector.capture.calls.state import State
from inspector.capture.execution.execution import recorded_call
from inspector.capture.execution.failed_call import FailedCall, failed_call
from inspector.capture.kernel_bench.bench import IsolatedKernel
from inspector.capture.profiling.profiles import Profiles
from inspector.capture.quiet import quiet
from inspector.capture.target.call import Call, PreparedCall
from inspector.capture.target.target import Target
from inspector.capture.writer import guarded
from inspector.shared.request import Request

_MOST_ROUNDS = 10  # of calls before a profile, should each of them compile something
_PLAIN: AbstractContextManager[None] = contextlib.nullcontext()


def call_profiled(target: Target, request: Request, function: Callable[..., object]) -> None:
    """Calls the target with each input until that compiles nothing, then profiles it.

    Raises:
        ModelFailedError: A call failed; ``detail`` is the user's own traceback.
        UsageError: Other processes of the job do not take part.
    """
    meet()  # before any call: one that no other process makes may wait until all is lost
    _ProfiledCalls(target, request, function).make()


class _ProfiledCalls:
    """All calls of a target; `_made` has the inputs of those before, in their order."""

    def __init__(self, target: Target, request: Request, function: Callable[..., object]) -> None:
        self._target = target
        self._request = request
        self._function = function
        self._inputs = range(len(target.calls))
        self._made: list[int] = []
        self._ones = Ones()
        self._profiles = Profiles(  # before any call: it sees what Triton tunes in the first one
            target,
            counters=request.counters,
            fresh_ceilings=request.fresh_ceilings,
            seconds=request.seconds,
        )
        self._alone = None if request.kernel is None else IsolatedKernel(request.kernel)
        self._state = self._first_state()

    def make(self) -> None:
        number = self._call_until_compiled()
        if self._alone is not None and self._alone.is_refused():
            return
        with torch.no_grad() if self._request.no_grad else contextlib.nullcontext():
            for index in self._inputs:
                with recorded_call(index, number):
                    self._profile(index)
            self._profiles.finish()

    def _first_state(self) -> State:
        """What calls may change, as it is before the first one.

        What a model makes in its first call and keeps (a static cache) is made without the
        compiler, as by a prefill: a compiled call would make it in the memory of a CUDA graph,
        which the next call overwrites.
        """
        function = self._target.function
        state = State(function)
        if not torch.cuda.is_initialized() or versions.job() is not None:
            return state
        with torch.compiler.set_stance("force_eager"):
            for index in self._inputs:
                # A call that fails will fail in the same way when it is compiled, or need less
                # memory.
                error_of(self._target, index, self._request, function, self._ones)
        try:
            state.restore()
            return State(function)
        except RuntimeError:  # CUDA cannot be used any more: the first compiled call says why
            return state

    def _call(
        self, index: int, number: int, watched: AbstractContextManager[None] = _PLAIN
    ) -> None:
        # Before the very first nothing is to be put back, and no random number is drawn yet.
        if self._made:
            self._state.look_again()
            self._state.begin_again()  # gradients may lie in the memory of a CUDA graph
            torch.compiler.cudagraph_mark_step_begin()
        self._made.append(index)
        target, request = self._target, self._request
        with recorded_call(index, number) as seen, quiet() if number else _PLAIN, watched:
            error = error_of(target, index, request, self._function, self._ones, seen)
            if error is not None:
                failed = FailedCall(target, index, error, number + 1)
                raise failed_call(failed, request) from error

    def _call_until_compiled(self) -> int:
        """Calls all inputs again and again until that compiles nothing; gives how many rounds.

        With CUDA graphs the last but one of these rounds captures what the one before it compiled.
        A further round is watched closely and, where there are CUDA graphs, one more.
        """
        profiles, is_warm, number = self._profiles, False, 0
        while not is_warm and number < _MOST_ROUNDS:
            before = versions.compilations()
            for index in self._inputs:
                self._call(index, number, profiles.capturing(index) if number else _PLAIN)
            is_warm = agreed(number > 0 and versions.compilations() == before)
            number += 1
        for index in self._inputs:
            self._call(index, number, profiles.closely(index))
        if agreed(profiles.has_replays()):
            number += 1
            for index in self._inputs:
                self._call(index, number, profiles.around_replays(index))
        return number + 1

    def _profile(self, index: int) -> None:
        """Profiles the warm calls with one input."""
        target, request = self._target, self._request
        back_to_back = BackToBack(target.calls[index], self._state)
        without, is_compiled = 0, True

        def make(call: Call, called: Callable[..., object]) -> None:
            if request.no_grad:
                finished_call(call, called)
            else:
                call_once(call, request, called, self._ones)

        def prepared(called: Callable[..., object]) -> PreparedCall:
            nonlocal without, is_compiled
            self._made.append(index)
            is_compiled = called is self._function
            without += not is_compiled
            if request.no_grad:
                torch.set_grad_enabled(False)  # here, where it is no part of the call
            return back_to_back.prepared(is_compiled, lambda call: make(call, called))

        run, eager = (functools.partial(prepared, f) for f in (self._function, target.function))
        try:
            with quiet():
                self._profiles.measure(index, run, eager, back_to_back)
                if (alone := self._alone) is not None and not request.counters:
                    guarded("benchmark one kernel", lambda: alone.measure(index, run))
        except Exception as error:
            number = self._made.count(index) - without if is_compiled else 0
            failed = FailedCall(target, index, error, number)
            raise failed_call(failed, request) from error
