"""Makes a target ready for a workload, compiled as asked or not at all."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import torch

from inspector.capture.bench.changed import named_tensors
from inspector.capture.bench.inputs import varied_call, with_batch
from inspector.capture.bench.program import Program
from inspector.capture.calls.calling import Ones
from inspector.capture.calls.state import State
from inspector.capture.compiled import is_compiled, module_of, uncompiled
from inspector.capture.execution.execution import compiled
from inspector.capture.target.placement import Placement
from inspector.capture.target.target import Target
from inspector.errors import UsageError
from inspector.shared.bench import LEARNING_RATE, WorkerRequest, Workload
from inspector.shared.dtypes import parse_dtype
from inspector.shared.near_matches import did_you_mean


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
    plain = _uncompiled(target)
    calls = target.calls
    if asked.variations:
        calls = tuple(varied_call(target.function, calls[0], items) for items in asked.variations)
    if workload.batch is not None:
        calls = tuple(with_batch(call, workload.batch) for call in calls)
    if asked.is_reference:
        # The same numbers with more digits: parameters are rounded to their own dtype before.
        wide = Placement(None, "f64")
        wide.put_model(plain)
        calls = tuple(map(wide.put_call, calls))
    optimizer = _optimizer(plain, workload)
    function = _function(target, plain, asked)
    step = _step(optimizer, asked)
    module = module_of(plain)
    tensors = [*module.parameters()] if module is not None else []
    tensors += [tensor for call in calls for tensor in call.tensors]
    device_type = next((str(tensor.device.type) for tensor in tensors), "cpu")
    return Program(
        function=function,
        plain=plain,
        calls=calls,
        state=_state(plain, optimizer),
        named=named_tensors(plain),
        step=step,
        workload=workload,
        no_grad=asked.request.no_grad and not workload.train,
        ones=Ones(),
        device_type=device_type,
        autocast=workload.autocast and getattr(torch, parse_dtype(workload.autocast).torch_name),
        marks_steps=asked.compiles_optimizer and step is not None and device_type == "cuda",
        labels=tuple(", ".join(map(str, items)) for items in asked.variations),
    )


def _function(
    target: Target, plain: Callable[..., object], asked: WorkerRequest
) -> Callable[..., object]:
    """What is called in the target's place: compiled as asked, or not at all."""
    if asked.eager:
        return plain
    is_plain = dataclasses.replace(target, function=plain, already_compiled=False)
    return compiled(is_plain, asked.request)


def _step(optimizer: Any, asked: WorkerRequest) -> Any:
    """The optimizer's step, compiled where that is asked for; None where there is no optimizer."""
    if optimizer is None:
        return None
    request = asked.request
    if not asked.compiles_optimizer:
        return optimizer.step
    # Not fullgraph: torch itself breaks the graph of a step (torch/optim/optimizer.py,
    # `_use_grad_for_differentiable`).
    return torch.compile(
        optimizer.step, backend=request.backend, mode=request.mode, dynamic=request.dynamic
    )


def _uncompiled(target: Target) -> Any:
    """The target without the compiler; a file may compile it itself."""
    plain = uncompiled(target.function)
    if is_compiled(plain):
        message = (
            f"{target.name} compiles parts of its model itself, so settings have little effect."
        )
        step = "Return the model without torch.compile, or run: inspect profile"
        raise UsageError(message, step)
    return plain


def _optimizer(function: Callable[..., object], workload: Workload) -> Any:
    name = workload.optimizer
    if name is None:
        return None
    known = {item for item in dir(torch.optim) if item[0].isupper() and item != "Optimizer"}
    if name not in known:
        message = f"torch.optim has no optimizer {name}."
        raise UsageError(message, did_you_mean(name, sorted(known)))
    module = module_of(function)
    parameters = [item for item in module.parameters() if item.requires_grad] if module else []
    if not parameters:
        raise UsageError("The model has no trainable parameters.", "Drop --optimizer.")
    try:
        return getattr(torch.optim, name)(parameters, lr=LEARNING_RATE)
    except (TypeError, ValueError) as error:
        message = f"torch.optim.{name} cannot train this model: {error}."
        raise UsageError(message, "Choose another one with --optimizer.") from error


def _state(function: Callable[..., object], optimizer: Any) -> State:
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
        message = f"A {type(optimizer).__name__} step fails: {error}."
        raise UsageError(message, "Choose another one with --optimizer.") from error
    before.restore()
    return State(functools.partial(function, optimizer))  # where it looks for what is changed
