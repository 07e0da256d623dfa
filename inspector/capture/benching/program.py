"""A target on a workload, compiled as asked or not at all, ready to be called."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo import list_backends
from torch.utils import _pytree

from inspector.capture.benching.batches import with_batch
from inspector.capture.benching.varied import Padding, padded, paddings_of, varied_calls
from inspector.capture.call import Call, PreparedCall, fresh
from inspector.capture.calling import Ones, backward, finished
from inspector.capture.compiled import is_compiled, module_of, uncompiled
from inspector.capture.execution import compiled
from inspector.capture.placement import Placement
from inspector.capture.state import State
from inspector.capture.target import Target
from inspector.capture.xla.device import wait_for_xla
from inspector.errors import EnvironmentLacksError, UsageError
from inspector.model.bench import WorkerRequest, Workload
from inspector.model.dtypes import parse_dtype
from inspector.model.near_matches import did_you_mean

__all__ = ["Program", "make_program"]

# torch/_dynamo/backends/onnxrt.py, where only comments are left in 2.11 to 2.13.
_GONE = {"onnxrt": "older versions had it, with onnxruntime installed"}


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """What is called, and with what.

    Attributes:
        function: What is called: the target, compiled or not.
        plain: The target without the compiler.
        calls: Its arguments, one for each input.
        state: What a call changes, as it was in the beginning.
        step: The optimizer's step, or None.
        workload: What is computed.
        no_grad: Whether calls are made under ``torch.no_grad()``.
        ones: The gradients of the sum of the outputs.
        device_type: Where it runs: ``cuda``, ``cpu``.
        autocast: Dtype of ``torch.autocast``, or None.
        paddings: Where each input is padded to a power of two; or nowhere.
        marks_steps: Whether a call has to say that a step begins. An optimizer that is compiled,
            too, begins a new generation of CUDA graphs otherwise, in which the gradients that it
            wants are gone (torch/_inductor/cudagraph_trees.py, `can_start_new_generation`).
    """

    function: Callable[..., object]
    plain: Callable[..., object]
    calls: tuple[Call, ...]
    state: State
    step: Callable[[], object] | None
    workload: Workload
    no_grad: bool
    ones: Ones
    device_type: str
    autocast: Any
    paddings: tuple[tuple[Padding, ...], ...] = ()
    marks_steps: bool = False

    def prepare(self, index: int, *, restores: bool = True) -> PreparedCall:
        """A call with an input; every one finds the same tensors, gradients and random numbers.

        Args:
            index: Number of the input.
            restores: Whether what calls changed is put back.
        """
        if restores:
            self.state.restore()
        self.begin_step()
        given = fresh(self.calls[index])
        # XLA has only noted what was put back and copied; where a call draws random numbers it
        # fails while that is still at work (torch_xla 2.9).
        wait_for_xla()
        if not self.paddings:
            return PreparedCall(given, self.call)
        # Padding is a part of the call: the program would have to do it each time.
        padding = self.paddings[index]
        return PreparedCall(given, lambda given: self.call(padded(given, padding)))

    def between(self) -> None:
        """Between calls that follow one another, as a program has it: new gradients."""
        for leaf in self.state.leaves:
            leaf.grad = None
        self.begin_step()

    @staticmethod
    def begin_step() -> None:
        """Says that a step begins, where CUDA graphs may be."""
        # Where it is not imported no CUDA graph is there, and to import it takes seconds of the
        # first call.
        if "torch._inductor.cudagraph_trees" in sys.modules:
            torch.compiler.cudagraph_mark_step_begin()

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
        self.state.restore()
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


def make_program(target: Target, asked: WorkerRequest) -> Program:
    """Makes a target ready.

    Raises:
        UsageError: The workload or the setting does not fit the target.
        EnvironmentLacksError: The backend's package is not installed.
    """
    workload = asked.workload
    if workload.tf32 is not None:
        torch.backends.cuda.matmul.allow_tf32 = workload.tf32
        torch.backends.cudnn.allow_tf32 = workload.tf32
    calls = target.calls
    if asked.variations:
        calls = varied_calls(target.function, calls[0], asked.variations)
    if workload.batch is not None:
        calls = tuple(with_batch(call, workload.batch) for call in calls)
    plain = _uncompiled(target)
    if asked.is_reference:
        # The same numbers with more digits: parameters are rounded to their own dtype before.
        wide = Placement(None, "f64")
        wide.put_model(plain)
        calls = tuple(map(wide.put_call, calls))
    optimizer = _optimizer(plain, workload)
    function = plain
    if not asked.eager:
        _check_registered(asked.request.backend)
        is_plain = dataclasses.replace(target, function=plain, already_compiled=False)
        function = compiled(is_plain, asked.request)
    step = optimizer.step if optimizer is not None else None
    if step is not None and asked.compiles_optimizer:
        request = asked.request
        step = torch.compile(step, backend=request.backend, mode=request.mode)
    device_type = _device_type(plain, calls)
    return Program(
        function=function,
        plain=plain,
        calls=calls,
        state=_state(plain, optimizer),
        step=step,
        workload=workload,
        no_grad=asked.request.no_grad and not workload.train,
        ones=Ones(),
        device_type=device_type,
        autocast=_dtype(workload.autocast),
        paddings=tuple(
            tuple(paddings_of(plain, call, items))
            for call, items in zip(calls, asked.variations, strict=True)
        )
        if asked.pads
        else (),
        marks_steps=asked.compiles_optimizer and step is not None and device_type == "cuda",
    )


def _dtype(name: str | None) -> Any:  # noqa: ANN401 - torch is Any to mypy
    return None if name is None else getattr(torch, parse_dtype(name).torch_name)


def _check_registered(backend: str) -> None:
    """Says where a backend went that torch had.

    Raises:
        EnvironmentLacksError: This torch has it no more.
    """
    if backend in _GONE and backend not in list_backends(exclude_tags=()):
        message = f"torch {torch.__version__} has no {backend!r} any more: {_GONE[backend]}."
        raise EnvironmentLacksError(message, "Choose another with --backends.")


def _uncompiled(target: Target) -> Any:  # noqa: ANN401 - a module or a function
    """The target without the compiler; a file may compile it itself.

    Raises:
        UsageError: It compiles parts of it, which nobody can take apart again.
    """
    plain = uncompiled(target.function)
    if is_compiled(plain):
        message = (
            f"{target.name} compiles parts of its model itself, so that settings change little."
        )
        step = "Let the file give the model without torch.compile, or see: inspect profile"
        raise UsageError(message, step)
    return plain


def _optimizer(function: object, workload: Workload) -> Any:  # noqa: ANN401 - torch is Any to mypy
    name = workload.optimizer
    if name is None:
        return None
    known = {item for item in dir(torch.optim) if item[0].isupper() and item != "Optimizer"}
    if name not in known:
        message = f"torch.optim has no optimizer {name}."
        raise UsageError(message, did_you_mean(name, sorted(known)))
    module = module_of(function)  # type: ignore[arg-type]
    parameters = [item for item in module.parameters() if item.requires_grad] if module else []
    if not parameters:
        raise UsageError("There are no parameters to train.", "Leave --optimizer out.")
    try:
        return getattr(torch.optim, name)(parameters, lr=1e-4)
    except (TypeError, ValueError) as error:
        message = f"torch.optim.{name} cannot train this model: {error}."
        raise UsageError(message, "Name another with --optimizer.") from error


def _state(function: Callable[..., object], optimizer: Any) -> State:  # noqa: ANN401
    """What a call changes; an optimizer's state is made by its first step, which changes nothing.

    So that every call finds the same: the first step alone is another program.
    """
    if optimizer is None:
        return State(function)
    before = State(function)
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = torch.zeros_like(parameter)
    try:
        optimizer.step()
    except (TypeError, RuntimeError, NotImplementedError) as error:
        message = f"A step of {type(optimizer).__name__} fails: {error}."
        raise UsageError(message, "Name another with --optimizer.") from error
    before.restore()
    return State(functools.partial(function, optimizer))  # where it looks for what is changed


def _device_type(function: Callable[..., object], calls: tuple[Call, ...]) -> str:
    module = module_of(function)
    tensors = [*module.parameters()] if module is not None else []
    tensors += _pytree.tree_leaves([(call.args, call.kwargs) for call in calls])
    found = (str(item.device.type) for item in tensors if isinstance(item, torch.Tensor))
    return next(found, "cpu")
