"""Calls that follow one another, as close to a program's own loop as what they change allows."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable

import torch

from inspector.capture.bench.program import Program
from inspector.capture.calls.back_to_back import begin_step, is_plain, is_unchanged, versions_of
from inspector.capture.calls.calling import finished
from inspector.capture.target.call import fresh


@dataclasses.dataclass(frozen=True, slots=True)
class Loop:
    """A loop of calls.

    Attributes:
        next_call: Makes the next call ready, outside of its time.
        between: What a program does between two calls.
        restores: Whether everything that a call changes is put back before the next one.
    """

    next_call: Callable[[], Callable[[], object]]
    context: Callable[[], contextlib.AbstractContextManager[object]]
    between: Callable[[], None]
    restores: bool = False


def loop_of(program: Program, index: int) -> Loop:
    """The loop for an input.

    Where a call changes neither the model nor its inputs there is nothing to be put back, and all
    are made with one copy of the inputs, as by hand: what one does between two calls empties the
    processor's caches, and the next takes up to twice as long as in a program that does nothing
    there. Elsewhere everything is put back before each call, and its inputs are new.
    """
    if not _repeats(program, index):
        return restoring_loop(program, index)
    given = fresh(program.calls[index])
    if program.workload.train:

        def between() -> None:
            for tensor in given.tensors:
                tensor.grad = None
            program.between()

        def trained() -> Callable[[], object]:
            between()
            return lambda: program.call(given)

        return Loop(trained, contextlib.nullcontext, between)
    function, has_gradients = program.function, not program.no_grad

    def called() -> Callable[[], object]:
        begin_step()
        if not has_gradients:
            torch.set_grad_enabled(False)  # a program may have left them on
        args, kwargs = given.args, given.kwargs
        return lambda: finished(function(*args, **kwargs))

    return Loop(called, program.context, begin_step)


def restoring_loop(program: Program, index: int) -> Loop:
    """The loop for an input of which each call has new arguments, and everything put back."""
    return Loop(
        lambda: program.prepare(index), contextlib.nullcontext, program.between, restores=True
    )


def _repeats(program: Program, index: int) -> bool:
    """Whether a call leaves the model and its inputs as they were; makes one to see."""
    given = program.calls[index]
    if program.step is not None or not is_plain(given):
        return False
    prepared = program.prepare(index)
    versions = versions_of(prepared.arguments)
    prepared()
    return is_unchanged(given, prepared.arguments, versions) and not program.state.has_changed()
