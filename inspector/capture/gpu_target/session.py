"""Captures for a GPU that is not there: everything that is patched, in one context manager."""

from __future__ import annotations

import contextlib
import logging
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch import fx
from torch._dynamo.exc import RestartAnalysis
from torch._inductor.graph import GraphLowering
from torch._subclasses.fake_tensor import no_dispatch
from torch.fx.node import map_aggregate
from torch.utils._pytree import tree_leaves, tree_map_only

from inspector.capture.fusion.generating import Generate, code_only, copied, module_not_loaded
from inspector.capture.gpu_target.accelerator import cuda_in_cpp
from inspector.capture.gpu_target.constants import constants_on_cpu, user_kernels_not_launched
from inspector.capture.gpu_target.device import answers_of
from inspector.capture.gpu_target.fakes import (
    device_to_cuda,
    fakes_on_cuda,
    tensor_on_cuda,
    traced_devices_on_cuda,
)
from inspector.capture.gpu_target.libraries import attention_of, convolutions_of
from inspector.capture.gpu_target.measured import without_measuring
from inspector.capture.gpu_target.notes import Notes
from inspector.capture.gpu_target.weights import makes_fakes
from inspector.capture.hooks import nothing
from inspector.capture.source_loader import device_to_cpu
from inspector.capture.writer import emit
from inspector.records.gpu_target import GpuTarget
from inspector.shared.gpus import Gpu

# What torch 2.11.0+cu130 brings (nvidia-cudnn-cu13 9.19.0); the CPU build has none to ask.
_CUDNN = 91900
_FRAMES = 6


@contextmanager
def gpu_target(gpu: Gpu) -> Iterator[None]:
    """``torch.compile`` generates code for a GPU, inside of the ``with``; the CPU runs the program.

    Raises:
        EnvironmentLacksError: This torch or machine is none that this works with.
    """
    notes = Notes()

    def report(error: BaseException | None) -> None:
        found = notes.taken()
        last = traceback.extract_tb(error.__traceback__)[-_FRAMES:] if error else ()
        emit(
            GpuTarget(
                gpu.key,
                measured=tuple(found.measured),
                attention=tuple(found.attention),
                alternatives=tuple(found.alternatives),
                missing=tuple(found.missing),
                error=f"{type(error).__name__}: {error}"[:2000] if error else "",
                where=tuple(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in last),
            )
        )

    # The order matters: whether there is a GPU is asked before torch is told that there is.
    cudnn = torch.backends.cudnn.version() if torch.backends.cuda.is_built() else None
    with (
        cuda_in_cpp(),
        answers_of(gpu),
        fakes_on_cuda(),
        traced_devices_on_cuda(),
        user_kernels_not_launched(),
        # The engine began its threads, if any, for the devices that there are.
        torch.autograd.set_multithreading_enabled(False),
        constants_on_cpu(),
        attention_of(gpu, cudnn or _CUDNN, notes),
        convolutions_of(gpu),
        without_measuring(notes),
        _compiling_for(notes, report),
    ):
        yield


@contextmanager
def _compiling_for(notes: Notes, report: Callable[[BaseException | None], None]) -> Iterator[None]:
    """``backend="inductor"`` generates code without loading it, and the CPU runs the graph.

    After each graph `report` is called with the error, if any.
    """

    def compiled(graph: fx.GraphModule, generate: Generate) -> Callable[..., Any]:
        later: list[logging.LogRecord] = []

        def on_backward() -> None:
            """Writes what was kept back into the log, once."""
            while later:
                logging.getLogger("torch.__trace").handle(later.pop(0))

        run, untouched = _on_cpu(graph, on_backward), copied(graph)
        error: BaseException | None = None
        try:
            generate(_on_target(graph))
            later += notes.take_backward()
            for alternative in notes.other_decisions(len(untouched.graph.nodes)):
                with alternative:
                    generate(_on_target(copied(untouched)))
        except RestartAnalysis:
            raise  # Dynamo traces again, with more of it dynamic or fewer scalars
        except Exception as raised:  # noqa: BLE001 - it is reported, and the program goes on
            error = raised
        finally:
            notes.take_backward()  # of a graph that failed, and is of no other
        report(error)
        return run

    make_module = GraphLowering._compile_to_module_lines  # noqa: SLF001 - no public place to stop at

    def not_loaded(self: Any, wrapper_code: Any) -> Any:
        if notes.is_alternative:
            notes.generated(wrapper_code.value)
        elif self.is_backward:
            # Torch generates it when the program asks for gradients, and so it is said then.
            with notes.kept_back(), module_not_loaded():
                return make_module(self, wrapper_code)
        with module_not_loaded():
            return make_module(self, wrapper_code)

    with (
        code_only(compiled),
        mock.patch.object(GraphLowering, "_compile_to_module_lines", not_loaded),
    ):
        yield


def _on_cpu(graph: fx.GraphModule, on_backward: Callable[[], None]) -> Callable[..., Any]:
    """A copy of a graph that Dynamo captured, with the CPU wherever it names CUDA.

    As soon as a gradient of what it returns is known, `on_backward` is called.
    """
    copy = copied(graph)
    _change(copy, device_to_cpu)
    for node in copy.graph.nodes:
        # A model that allows one of CUDA's kernels alone would fail here.
        if node.target is torch.nn.attention._sdpa_kernel:  # noqa: SLF001 - what Dynamo writes
            node.target = nothing
    copy.recompile()

    def run(*inputs: Any) -> Any:
        allowed = torch.backends.cuda.math_sdp_enabled()
        torch.backends.cuda.enable_math_sdp(enabled=True)
        try:
            outputs = _Runner(copy).run(*inputs)
        finally:
            torch.backends.cuda.enable_math_sdp(enabled=allowed)
        for output in tree_leaves(outputs):
            if isinstance(output, torch.Tensor) and output.requires_grad:
                output.register_hook(lambda _gradient: on_backward())
        return outputs

    return run


class _Runner(fx.Interpreter):
    """Runs operator by operator; what the CPU cannot do gives zeros of the right shape.

    The values matter only where the program looks at them between two graphs.
    """

    def run_node(self, n: fx.Node) -> Any:
        try:
            return super().run_node(n)
        except (NotImplementedError, RuntimeError):
            fakes = n.meta.get("example_value")
            tensors = [leaf for leaf in tree_leaves(fakes) if isinstance(leaf, torch.Tensor)]
            if fakes is None or any(type(n) is not int for t in tensors for n in t.shape):
                raise
            with contextlib.nullcontext() if makes_fakes() else no_dispatch():
                return tree_map_only(
                    torch.Tensor, lambda t: torch.zeros(tuple(t.shape), dtype=t.dtype), fakes
                )


def _on_target(graph: fx.GraphModule) -> fx.GraphModule:
    """The graph with CUDA wherever it names the CPU: a model that names one means where it is."""
    _change(graph, device_to_cuda)
    for node in graph.graph.nodes:
        if node.target is torch.tensor and str(node.kwargs.get("device")).startswith("cuda"):
            node.target = tensor_on_cuda
    graph.recompile()
    return graph


def _change(graph: fx.GraphModule, change: Callable[[Any], Any]) -> None:
    """Changes arguments in place, in the graphs inside of it as well."""
    for module in graph.modules():
        if isinstance(module, fx.GraphModule):
            for node in module.graph.nodes:
                node.args = map_aggregate(node.args, change)
                node.kwargs = map_aggregate(node.kwargs, change)
            module.recompile()
