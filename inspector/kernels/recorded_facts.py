"""Joins the kernels of a graph with what was recorded of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from inspector.events.cpp_kernel import InspectorCppKernel, source_nodes
from inspector.events.triton_kernel import InspectorTritonKernel
from inspector.kernels.cpp_source import read_cpp
from inspector.model.cpp_kernel import CppFacts
from inspector.model.kernel import GraphCode, Kernel, NodeLine
from inspector.model.output_code import OutputText

__all__ = ["with_recorded"]

_GB = 1e9


def with_recorded(graph: GraphCode, text: OutputText, lines: Mapping[str, NodeLine]) -> GraphCode:
    """The graph, with what was recorded of its kernels.

    Args:
        graph: The graph; the wrapper has no comments before C++ kernels.
        text: What was recorded of it.
        lines: The user's lines by the names of nodes in Dynamo's graph.
    """
    cpp = {item.name: item for item in text.cpp}
    triton = {item.name: item for item in text.triton}
    kernels = tuple(
        _of_cpp(kernel, cpp.get(kernel.name), lines)
        if kernel.language == "cpp"
        else _of_triton(kernel, triton.get(kernel.name))
        for kernel in graph.kernels
    )
    return dataclasses.replace(graph, kernels=kernels)


def _of_triton(kernel: Kernel, said: InspectorTritonKernel | None) -> Kernel:
    """``kernel_num_gb`` is in a source where Inductor was asked for it (codegen/triton.py)."""
    number = kernel.inductor_meta.get("kernel_num_gb")
    asked = round(number * _GB) if isinstance(number, int | float) else None
    return dataclasses.replace(
        kernel,
        traffic_bytes=said.traffic_bytes if said else asked,
        flops=said.flops if said else None,
    )


def _of_cpp(
    kernel: Kernel, said: InspectorCppKernel | None, lines: Mapping[str, NodeLine]
) -> Kernel:
    facts = CppFacts(read_cpp(kernel.source), said)
    if said is None:
        return dataclasses.replace(kernel, cpp=facts)
    names, aten = source_nodes(said.comment)
    nodes = tuple(lines.get(name, NodeLine(name)) for name in names)
    return dataclasses.replace(
        kernel,
        cpp=facts,
        nodes=kernel.nodes or nodes,
        aten=kernel.aten or aten,
        traffic_bytes=said.traffic_bytes,
    )
