"""Inductor computes constants with real tensors: on the CPU, where their device is not there.

``UniformValueConstantFolder`` (fx_passes/joint_graph.py) and ``ConstantFolder`` run parts of a graph
that depend on no input, on the device that the graph names. Only values come back from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch._inductor.constant_folding import ConstantFolder
from torch._inductor.fx_passes import joint_graph
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

__all__ = ["constants_on_cpu"]


@contextmanager
def constants_on_cpu() -> Iterator[None]:
    """Constants are folded on the CPU inside of the ``with``."""
    folder = joint_graph.UniformValueConstantFolder
    with (
        mock.patch.object(ConstantFolder, "run", _on_cpu(ConstantFolder.run)),
        mock.patch.object(folder, "_deduce_value", _on_cpu(folder._deduce_value)),  # noqa: SLF001
        mock.patch.object(
            folder,
            "_add_peephole_patterns",
            _on_cpu(folder._add_peephole_patterns),  # noqa: SLF001
        ),
    ):
        yield


def _on_cpu(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - whatever the function takes
        with _CpuMode():
            return function(*args, **options)

    return run


class _CpuMode(TorchDispatchMode):
    """Changes CUDA devices in the arguments of operators."""

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401 - whatever the operator returns
        del types
        args, kwargs = tree_map_only(torch.device, _mapped, (args, kwargs or {}))
        return func(*args, **kwargs)


def _mapped(device: Any) -> Any:  # noqa: ANN401 - torch is Any to mypy
    return torch.device("cpu") if device.type == "cuda" else device
