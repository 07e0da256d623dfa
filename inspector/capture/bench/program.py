"""A target on a workload, compiled or not, ready to be called: once, and in a loop."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import torch

from inspector.capture.bench.inputs import shapes_of
from inspector.capture.calls.back_to_back import begin_step, is_plain, is_unchanged, versions_of
from inspector.capture.calls.calling import Ones, backward, finished
from inspector.capture.calls.state import State
from inspector.capture.target.call import Call, PreparedCall, fresh
from inspector.shared.bench import Workload

_TOGETHER = "If sizes must match, vary them together: --vary 'x[0],mask[0]=2,4'"


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """What is called, and with what.

    Attributes:
        state: What a call changes, as it was in the beginning.
        named: Parameters and buffers in the beginning, by what they are called in results.
        marks_steps: Whether a call has to say that a step begins. An optimizer that is compiled,
            too, begins a new generation of CUDA graphs otherwise, in which the gradients that it
            wants are gone (torch/_inductor/cudagraph_trees.py, `can_start_new_generation`).
        labels: What varies in each input (``x[0]=4``); or nothing.
    """

    function: Callable[..., object]
    plain: Callable[..., object]
    calls: tuple[Call, ...]
    state: State
    named: Mapping[str, Any]
    step: Callable[[], object] | None
    workload: Workload
    no_grad: bool
    ones: Ones
    device_type: str
    autocast: Any
    marks_steps: bool = False
    labels: tuple[str, ...] = ()

    def prepare(self, index: int, *, restores: bool = True) -> PreparedCall:
        """A call with an input; every one finds the same tensors, gradients and random numbers."""
        if restores:
            self.state.begin_again()
        begin_step()
        return PreparedCall(fresh(self.calls[index]), self.call)

    @property
    def copies(self) -> list[Any]:
        """The tensors that are there so that every call finds the same."""
        own = {id(tensor) for _, tensor, _ in self.state.tensors()}
        given = (tensor for call in self.calls for tensor in call.tensors)
        return [*(tensor for tensor in given if id(tensor) not in own), *self.state.copies]

    def shown(self, index: int) -> str:
        """``input 2, float32[1, 64]``, or what varies in it, where there are several inputs."""
        if len(self.calls) == 1:
            return ""
        label = self.labels[index] if self.labels else f"input {index + 1}"
        return ", ".join(filter(None, (label, shapes_of(self.calls[index]))))

    @property
    def next_step(self) -> str:
        """What to do should a call with an input fail; or nothing."""
        return _TOGETHER if self.labels else ""

    def repeats(self, index: int) -> bool:
        """Whether a call leaves the model and its inputs as they were; makes one to see."""
        given = self.calls[index]
        if self.step is not None or not is_plain(given):
            return False
        prepared = self.prepare(index)
        versions = versions_of(prepared.arguments)
        prepared()
        return is_unchanged(given, prepared.arguments, versions) and not self.state.has_changed()

    def between(self) -> None:
        """Between calls that follow one another, as a program has it: new gradients."""
        for leaf in self.state.leaves:
            leaf.grad = None
        begin_step()

    def call(self, given: Call) -> object:
        """Makes a call; what it returned."""
        if self.marks_steps:
            torch.compiler.cudagraph_mark_step_begin()
        with self.context():
            outputs = finished(self.function(*given.args, **given.kwargs))
        if self.workload.train:
            backward(outputs, self.ones)
            if self.step is not None:
                self.step()
        return outputs

    def forward(self, function: Callable[..., object], index: int) -> object:
        """What another function gives in the place of the program's, with an input."""
        self.state.begin_again()
        given = fresh(self.calls[index])
        with self.context():
            return finished(function(*given.args, **given.kwargs))

    def context(self) -> contextlib.ExitStack:
        """What forward passes are made under."""
        stack = contextlib.ExitStack()
        if self.no_grad:
            stack.enter_context(torch.no_grad())
        if self.workload.autocast is not None:
            stack.enter_context(torch.autocast(self.device_type, dtype=self.autocast))
        return stack


@dataclasses.dataclass(frozen=True, slots=True)
class Loop:
    """Calls that follow one another, as close to a program's own loop as their changes allow.

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
    if not program.repeats(index):
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
