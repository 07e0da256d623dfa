"""What torch computes for real while it compiles: on the CPU, where the GPU is not there.

Constants are real tensors.

- ``UniformValueConstantFolder`` (fx_passes/joint_graph.py) and ``ConstantFolder`` run parts of a
  graph that depend on no input, on the device that the graph names. Only values come back from it.
- Tracing (fx/experimental/proxy_tensor.py) does the same for what ``torch.tensor`` makes.
- ``torch.tensor(data, device="cuda")`` makes its constant on the device. Here it is a CPU tensor
  which fake tensors and Inductor take for one on the device, so that no copy appears.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from unittest import mock

import torch
from torch._inductor import ir, lowering
from torch._inductor.constant_folding import ConstantFolder
from torch._inductor.fx_passes import joint_graph
from torch._inductor.graph import GraphLowering
from torch._inductor.graph import getattr_recursive as attribute_of
from torch._subclasses import fake_tensor
from torch.fx.experimental import proxy_tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only
from triton.runtime.autotuner import Autotuner, Heuristics
from triton.runtime.jit import JITFunction

from inspector.capture.hooks import nothing, patched
from inspector.capture.source_loader import device_to_cpu

_CUDA = torch.device("cuda", 0)


@contextmanager
def constants_on_cpu() -> Iterator[None]:
    """Constants are folded on the CPU inside of the ``with``."""
    folder = joint_graph.UniformValueConstantFolder
    with (
        _runs_on_cpu(ConstantFolder, "run"),
        _runs_on_cpu(folder, "_deduce_value"),
        _runs_on_cpu(folder, "_add_peephole_patterns"),
        mock.patch.object(proxy_tensor, "unset_fake_temporarily", _unset_and_on_cpu),
        mock.patch.object(GraphLowering, "get_attr", _get_attr(GraphLowering.get_attr)),
    ):
        yield


@contextmanager
def _unset_and_on_cpu() -> Iterator[None]:
    with fake_tensor.unset_fake_temporarily(), _CpuMode():
        yield


def _get_attr(original: Callable[..., Any]) -> Callable[..., Any]:
    """Lowers a constant that was made on the device, as torch's own does for one that is there."""
    aten = torch.ops.aten
    lifts = (aten.lift_fresh_copy.default, aten.lift_fresh.default)

    def get_attr(self: Any, target: str, args: Any, kwargs: Any) -> Any:
        value = attribute_of(self.module, target)
        users = [node for node in self.current_node.users if node.target in lifts]
        made = [found for node in users if isinstance(found := node.meta.get("val"), torch.Tensor)]
        is_on_cuda = any(tensor.device.type == "cuda" for tensor in made)
        if not isinstance(value, torch.Tensor) or not is_on_cuda:
            return original(self, target, args, kwargs)
        with fake_tensor.no_dispatch():
            if value.shape == ():
                return ir.Constant(value=value.item(), dtype=value.dtype, device=_CUDA)
            if self.can_inline_constant(value):
                return lowering.tensor(value.tolist(), dtype=value.dtype, device=_CUDA)
        box = self.add_tensor_constant(value, target)
        box.get_layout().device = _CUDA
        return box

    return get_attr


def _runs_on_cpu(owner: type, name: str) -> AbstractContextManager[object]:
    function = getattr(owner, name)

    def run(*args: Any, **options: Any) -> Any:
        with _CpuMode():
            return function(*args, **options)

    return mock.patch.object(owner, name, run)


class _CpuMode(TorchDispatchMode):
    """Changes CUDA devices in the arguments of operators."""

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        del types
        args, kwargs = tree_map_only(torch.device, device_to_cpu, (args, kwargs or {}))
        return func(*args, **kwargs)


@contextmanager
def user_kernels_not_launched() -> Iterator[None]:
    """``kernel[grid](…)`` does nothing inside of the ``with``."""
    kinds = (JITFunction, Autotuner, Heuristics)
    with patched(*(mock.patch.object(kind, "run", nothing) for kind in kinds)):
        yield
