"""Devices in the code that Dynamo traces: what names the CPU means the GPU.

Model files were loaded with their CUDA requests mapped to the CPU (`inspector.capture.cuda_source`)
and a model that names no device says where its tensors are. ``x.cpu()`` alone stays, and what names
no device is made on the CPU, as on a machine with that GPU. A device that Dynamo hands to the code
between two graphs, as a constant of the bytecode, is the CPU again there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch._dynamo import codegen, utils
from torch.fx.node import map_aggregate

from inspector.capture.cuda_source import device_to_cpu

_CUDA = torch.device("cuda", 0)


@contextmanager
def traced_devices_on_cuda() -> Iterator[None]:
    """Dynamo's graphs name CUDA where the code names the CPU, inside of the ``with``."""
    run = utils.run_node

    def run_node(tracer: Any, node: Any, args: Any, kwargs: Any, nnmodule: Any) -> Any:  # noqa: ANN401
        # Constants are computed with real tensors, which are on the CPU.
        if torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE) is not None:  # noqa: SLF001
            node.args, node.kwargs = (
                map_aggregate(item, device_to_cuda) for item in (node.args, node.kwargs)
            )
            args, kwargs = (map_aggregate(item, device_to_cuda) for item in (args, kwargs))
        return run(tracer, node, args, kwargs, nnmodule)

    load = codegen.create_load_const

    def create_load_const(value: Any, checked: bool = True) -> Any:  # noqa: ANN401, FBT001, FBT002
        return load(map_aggregate(value, device_to_cpu), checked)

    with (
        mock.patch.object(utils, "run_node", run_node),
        mock.patch.object(codegen, "create_load_const", create_load_const),
    ):
        yield


def device_to_cuda(value: Any) -> Any:  # noqa: ANN401 - any argument of a node
    """A device or its name with the CPU replaced; anything else as it is."""
    if isinstance(value, torch.device) and value.type == "cpu":
        return _CUDA
    return "cuda" if isinstance(value, str) and value in ("cpu", "cpu:0") else value
