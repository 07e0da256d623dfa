"""Fake tensors of real ones on the CPU say that they are on the GPU.

Dynamo, AOTAutograd and Inductor look at fake tensors alone. So the whole of torch.compile sees the
model on the GPU from the start: what Dynamo traces through (``x.is_cuda``, ``optimizer.step``),
what AOTAutograd decomposes (attention, group norm) and what Inductor lowers. The other way, to
capture for the CPU and to change the devices in the ATen graph, differs in all of these: 47 of 814
kernels differed so. The real tensors stay on the CPU, where guards look at them and the program
runs.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from unittest import mock

import torch
from torch._dynamo import codegen, utils
from torch._functorch import config as functorch_config
from torch._subclasses import fake_tensor, meta_utils
from torch.fx.node import map_aggregate

from inspector.capture.gpu_target.weights import Weights, is_weight
from inspector.capture.hooks import nothing, patched
from inspector.capture.source_loader import device_to_cpu

MAKING: ContextVar[bool] = ContextVar("making", default=False)
"""Whether a constant is being made on the device."""

_CUDA = torch.device("cuda", 0)


@contextmanager
def fakes_on_cuda() -> Iterator[None]:
    """Real CPU tensors become fake CUDA tensors inside of the ``with``; constants stay."""
    describe = meta_utils.MetaTensorDescriber.describe_tensor
    convert = fake_tensor.FakeTensorConverter.from_real_tensor
    state = threading.local()

    def described(self: Any, tensor: Any, **options: Any) -> Any:
        description = describe(self, tensor, **options)
        if description.device.type == "cpu" and not (
            getattr(state, "constant", False)
            or getattr(state, "is_program", False)
            or (isinstance(tensor, fake_tensor.FakeTensor) and not is_weight(tensor))
            or torch._is_functional_tensor(tensor)  # noqa: SLF001 - no public name
        ):
            object.__setattr__(description, "device", _CUDA)  # a frozen dataclass
        return description

    def converted(
        self: Any,
        mode: Any,
        tensor: Any,
        make_constant: bool = False,  # noqa: FBT001, FBT002 - torch's own
        *args: Any,
        **options: Any,
    ) -> Any:
        # A constant in the code (`torch.tensor(2.0)`) is on the CPU on a GPU machine, too, unless
        # it says where: then there is no real tensor of it to compute with.
        make_constant = make_constant and not MAKING.get()
        before = getattr(state, "constant", False), getattr(state, "is_program", False)
        # What the program itself computes with tensors without memory stays where it says it is.
        state.constant, state.is_program = make_constant, isinstance(mode, Weights)
        try:
            return convert(self, mode, tensor, make_constant, *args, **options)
        finally:
            state.constant, state.is_program = before

    with patched(
        mock.patch.object(meta_utils.MetaTensorDescriber, "describe_tensor", described),
        mock.patch.object(fake_tensor.FakeTensorConverter, "from_real_tensor", converted),
        # Nothing is to be made on the device, whatever `torch.cuda.is_available` says.
        mock.patch.object(fake_tensor.FakeTensorMode, "avoid_device_init", new=True),
        mock.patch.object(fake_tensor, "init_gpu_context", nothing),
        functorch_config.patch(enable_autograd_cache=False),
    ):
        yield


def tensor_on_cuda(data: Any, **options: Any) -> Any:
    """``torch.tensor(data, device="cuda", …)`` for fake tensors, where there is no device."""
    del options["device"]
    token = MAKING.set(True)
    try:
        return torch.tensor(data, **options)
    finally:
        MAKING.reset(token)


@contextmanager
def traced_devices_on_cuda() -> Iterator[None]:
    """Dynamo's graphs name CUDA where the code names the CPU, inside of the ``with``.

    Model files were loaded with their CUDA requests mapped to the CPU, and a model that names no
    device says where its tensors are. ``x.cpu()`` alone stays, and what names no device is made on
    the CPU, as on a machine with that GPU. A device that Dynamo hands to the code between two
    graphs, as a constant of the bytecode, is the CPU again there.
    """
    run = utils.run_node

    def run_node(tracer: Any, node: Any, args: Any, kwargs: Any, nnmodule: Any) -> Any:
        # Constants are computed with real tensors, which are on the CPU.
        if torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE) is not None:  # noqa: SLF001
            node.args, node.kwargs = (
                map_aggregate(item, device_to_cuda) for item in (node.args, node.kwargs)
            )
            args, kwargs = (map_aggregate(item, device_to_cuda) for item in (args, kwargs))
        return run(tracer, node, args, kwargs, nnmodule)

    load = codegen.create_load_const

    def create_load_const(value: Any, checked: bool = True) -> Any:  # noqa: FBT001, FBT002
        return load(map_aggregate(value, device_to_cpu), checked)

    with (
        mock.patch.object(utils, "run_node", run_node),
        mock.patch.object(codegen, "create_load_const", create_load_const),
    ):
        yield


def device_to_cuda(value: Any) -> Any:
    """A device or its name with the CPU replaced; anything else as it is."""
    if isinstance(value, torch.device) and value.type == "cpu":
        return _CUDA
    return "cuda" if isinstance(value, str) and value in ("cpu", "cpu:0") else value
