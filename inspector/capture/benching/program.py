"""A target on a workload, compiled as asked or not at all, ready to be called."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo import list_backends

from inspector.capture.benching.batches import with_batch
from inspector.capture.call import Call, PreparedCall, fresh
from inspector.capture.calling import Ones, backward, finished
from inspector.capture.compiled import is_compiled, module_of, uncompiled
from inspector.capture.execution import compiled
from inspector.capture.state import State
from inspector.capture.target import Target
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
    """

    function: Callable[..., object]
    plain: Callable[..., object]
    calls: tuple[Call, ...]
    state: State
    step: Callable[[], object] | None
    workload: Workload
    no_grad: bool
    ones: Ones

    def prepare(self, index: int) -> PreparedCall:
        """A call with an input; every one finds the same tensors, gradients and random numbers."""
        self.state.restore()
        torch.compiler.cudagraph_mark_step_begin()
        return PreparedCall(fresh(self.calls[index]), self.call)

    def call(self, given: Call) -> object:
        """Makes a call; what it returned."""
        with self._context():
            outputs = finished(self.function(*given.args, **given.kwargs))
        if self.workload.train:
            backward(outputs, self.ones)
            if self.step is not None:
                self.step()
        return outputs

    def forward(self, function: Callable[..., object]) -> object:
        """What another function gives in the place of the program's, with the first input."""
        self.state.restore()
        given = fresh(self.calls[0])
        with self._context():
            return finished(function(*given.args, **given.kwargs))

    def _context(self) -> contextlib.ExitStack:
        stack = contextlib.ExitStack()
        if self.no_grad:
            stack.enter_context(torch.no_grad())
        if self.workload.autocast is not None:
            dtype = getattr(torch, parse_dtype(self.workload.autocast).torch_name)
            stack.enter_context(torch.autocast(_device_type(self.plain, self.calls), dtype=dtype))
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
    if workload.batch is not None:
        calls = tuple(with_batch(call, workload.batch) for call in calls)
    plain = _uncompiled(target)
    optimizer = _optimizer(plain, workload)
    function = plain
    if not asked.eager:
        _check_registered(asked.request.backend)
        is_plain = dataclasses.replace(target, function=plain, already_compiled=False)
        function = compiled(is_plain, asked.request)
    step = optimizer.step if optimizer is not None else None
    if step is not None and asked.compiles_optimizer:
        step = torch.compile(step, backend=asked.request.backend)
    return Program(
        function=function,
        plain=plain,
        calls=calls,
        state=_state(plain, optimizer),
        step=step,
        workload=workload,
        no_grad=asked.request.no_grad and not workload.train,
        ones=Ones(),
    )


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
    return getattr(torch.optim, name)(parameters, lr=1e-4)


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
    optimizer.step()
    before.restore()

    def both() -> object:
        return function, optimizer

    return State(both)


def _device_type(function: Callable[..., object], calls: tuple[Call, ...]) -> str:
    module = module_of(function)
    tensors = [*module.parameters()] if module is not None else []
    tensors += [item for call in calls for item in (*call.args, *call.kwargs.values())]
    found = (str(item.device.type) for item in tensors if isinstance(item, torch.Tensor))
    return next(found, "cpu")
