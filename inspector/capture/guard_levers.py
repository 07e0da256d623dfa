"""Calls a target again with each setting of torch's that makes guards cheaper, and without.

The settings are those of "Reducing Guard Overhead" (programming_model.reducing_guard_overhead in
torch's documentation). Time of guards is the profiler's ``TorchDynamo Cache Lookup``, which that
page names. A dropped guard that told calls apart shows: something that is compiled without the
setting is not compiled with it, or an output differs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any

import torch

from inspector.capture import versions
from inspector.capture.calls.calling import call_once, wait_for_device
from inspector.capture.calls.outputs import SavedResults, compare, saved_results
from inspector.capture.calls.state import State
from inspector.capture.execution.trial import seed
from inspector.capture.quiet import quiet
from inspector.capture.recording.handler import attached_handler
from inspector.capture.target.call import fresh
from inspector.capture.target.target import Target
from inspector.capture.timeline.measure import mark_cost_ns
from inspector.capture.timeline.timeline import CALL_MARK
from inspector.capture.timeline.trace import HostEvent, traced
from inspector.capture.writer import emit
from inspector.records.recompiles import GuardLevers, LeverTrial
from inspector.shared.request import Request

_FILTER, _STANCE = "guard_filter_fn", "skip_guard_eval_unsafe"
_FREE, _HOOKS = "install_free_tensors", "skip_nnmodule_hook_guards"
_MODULES = f"{_FILTER}=skip_guard_on_all_nn_modules_unsafe"
_LEVERS: tuple[str, ...] = (
    f"{_HOOKS}=False",  # it is set by default
    _FREE,
    "use_recursive_dict_tags_for_guards",
    f"{_FILTER}=skip_guard_on_inbuilt_nn_modules_unsafe",
    _MODULES,
    f"{_FREE} + {_MODULES}",
    f"{_FILTER}=skip_guard_on_globals_unsafe",
    f"{_FILTER}=keep_tensor_guards_unsafe",
    f"{_FILTER}=skip_all_guards_unsafe",
    _STANCE,
)
"""As torch's page has them; what is joined by a plus is set together."""

_ROUNDS = 2
_LOOKUP = "TorchDynamo Cache Lookup"
_MOST_BYTES = 1 << 30
_LEAST_CALLS, _MOST_CALLS, _SECONDS = 5, 200, 1.0


class Levers:
    """Made before the first call: each trial begins with the state that is found then."""

    def __init__(self, target: Target, request: Request) -> None:
        self._target = target
        self._request = request
        self._inputs = range(len(target.calls))
        self._state = State(target.function, with_attributes=True)
        self._expected: list[SavedResults] = []

    def write(self) -> None:
        """Tries all, and writes ``inspector_guard_levers``."""
        handler = attached_handler()
        handler.is_paused = True
        try:
            with quiet():
                trials = tuple(map(self._trial, ("", *_known(), "")))
        finally:
            self._state.restore()
            handler.is_paused = False
        emit(GuardLevers(trials))

    def _trial(self, lever: str) -> LeverTrial:
        torch.compiler.reset()
        self._state.restore()
        try:
            with ExitStack() as stack:
                return self._called(lever, stack)
        except Exception as error:  # noqa: BLE001 - a setting may not fit this model
            return LeverTrial(lever, error=f"{type(error).__name__}: {error}".partition("\n")[0])

    def _called(self, lever: str, stack: ExitStack) -> LeverTrial:
        function = self._compiled(lever, stack)
        given, counts = [], []
        for number in range(_ROUNDS):
            if number and len(self._inputs) > 1:
                # As in the recorded calls: each finds what its user's first call finds.
                self._state.restore()
            if number and lever == _STANCE:
                stack.enter_context(torch.compiler.set_stance(skip_guard_eval_unsafe=True))
            before = versions.compilations()
            for index in self._inputs:
                seed(index)
                outputs = self._call(index, function)
                given.append(saved_results({f"output of input {index + 1}": outputs}, _MOST_BYTES))
            counts.append(versions.compilations() - before)
        self._expected = self._expected or given
        pairs = zip(given, self._expected, strict=True)
        difference = next(filter(None, (compare(*pair).first for pair in pairs)), "")
        return LeverTrial(lever, self._warm_ns(function), sum(counts), counts[-1], difference)

    def _compiled(self, lever: str, stack: ExitStack) -> Callable[..., object]:
        options: dict[str, Any] = {}
        for setting in filter(None, lever.split(" + ")):
            name, _, value = setting.partition("=")
            if name == _FILTER:
                options[name] = getattr(torch.compiler, value)
            elif name != _STANCE:
                patch: AbstractContextManager[object] = torch._dynamo.config.patch(  # noqa: SLF001
                    {name: value != "False"}
                )
                stack.enter_context(patch)
        if self._target.already_compiled:
            if options:
                raise ValueError(
                    "the file calls torch.compile itself: pass guard_filter_fn in that call"
                )
            return self._target.function
        request = self._request
        how = {name: getattr(request, name) for name in ("backend", "mode", "dynamic", "fullgraph")}
        compiled: Callable[..., object] = torch.compile(
            self._target.function, **how, **({"options": options} if options else {})
        )
        return compiled

    def _call(self, index: int, function: Callable[..., object]) -> object:
        return call_once(fresh(self._target.calls[index]), self._request, function)

    def _warm_ns(self, function: Callable[..., object]) -> int:
        """Time of guards: the least of the calls, the mean of the inputs."""
        least = [min(self._profiled(index, function)) for index in self._inputs]
        return round(sum(least) / len(least))

    def _profiled(self, index: int, function: Callable[..., object]) -> Iterator[int]:
        """Calls that follow each other closely: what is done between them empties the caches."""
        state = State(self._target.function, with_attributes=True)
        call, makes_grads = fresh(self._target.calls[index]), self._request.train
        with traced(with_device=False) as seen:
            mark_ns = mark_cost_ns()
            began = time.monotonic()
            changes = makes_grads
            for number in range(_MOST_CALLS):
                if number >= _LEAST_CALLS and time.monotonic() - began > _SECONDS:
                    break
                with torch._C._profiler._RecordFunctionFast(CALL_MARK):  # noqa: SLF001
                    call_once(call, self._request, function)
                wait_for_device()
                changes = changes or (not number and state.has_changed())
                if changes:
                    state.restore()
                    call = fresh(self._target.calls[index])
        return _by_call(seen.trace.host, mark_ns)


def _by_call(rows: Sequence[HostEvent], mark_ns: int) -> Iterator[int]:
    """The time of torch's mark around guards in each call, without what a mark costs."""
    for call in (row for row in rows if row.name == CALL_MARK):
        inside = (row for row in rows if call.start_ns <= row.start_ns < call.end_ns)
        lookups = (row.end_ns - row.start_ns for row in inside if row.name == _LOOKUP)
        yield sum(max(0, time_ns - mark_ns) for time_ns in lookups)


def _known() -> Iterator[str]:
    """The levers that this torch has."""
    settings = versions.dynamo_settings()
    for lever in _LEVERS:
        parts = (setting.partition("=") for setting in lever.split(" + "))
        if all(
            hasattr(torch.compiler, value) if name == _FILTER else name in (*settings, _STANCE)
            for name, _, value in parts
        ):
            yield lever
