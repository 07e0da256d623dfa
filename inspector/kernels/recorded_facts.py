"""Joins the kernels of a graph with what was recorded of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from inspector.kernels.cpp_source import read_cpp
from inspector.model.cpp_kernel import CppFacts
from inspector.model.kernel import GraphCode, Kernel, NodeLine
from inspector.model.output_code import OutputText
from inspector.records.kernels import CppKernelLoops, TritonKernelFacts, source_nodes

_GB = 1e9


def with_recorded(graph: GraphCode, text: OutputText, lines: Mapping[str, NodeLine]) -> GraphCode:
    """The graph, with what was recorded of its kernels.

    Args:
        graph: The graph; the wrapper has no comments before C++ kernels.
        lines: The user's lines by nodes of Dynamo's graph and, backward, of the post-grad one.
    """
    cpp: dict[str, list[CppKernelLoops]] = {}
    for item in text.cpp:  # those of equal code have one name
        cpp.setdefault(item.name, []).append(item)
    triton = {item.name: item for item in text.triton}
    kernels = tuple(
        _of_cpp(kernel, cpp.get(kernel.name, []), lines)
        if kernel.language == "cpp"
        else _of_triton(kernel, triton.get(kernel.name))
        for kernel in graph.kernels
    )
    return dataclasses.replace(graph, kernels=kernels)


def _of_triton(kernel: Kernel, said: TritonKernelFacts | None) -> Kernel:
    """``kernel_num_gb`` is in a source where Inductor was asked for it (codegen/triton.py)."""
    number = kernel.inductor_meta.get("kernel_num_gb")
    asked = round(number * _GB) if isinstance(number, int | float) else None
    return dataclasses.replace(
        kernel,
        traffic_bytes=said.traffic_bytes if said else asked,
        flops=said.flops if said else None,
    )


def _of_cpp(
    kernel: Kernel, said: Sequence[CppKernelLoops], lines: Mapping[str, NodeLine]
) -> Kernel:
    facts = CppFacts(read_cpp(kernel.source), said[-1] if said else None)
    if not said:
        return dataclasses.replace(kernel, cpp=facts)
    comments = [source_nodes(item.comment) for item in said]
    names = dict.fromkeys(name for nodes, _ in comments for name in nodes)
    return dataclasses.replace(
        kernel,
        cpp=facts,
        nodes=kernel.nodes or tuple(lines.get(name, NodeLine(name)) for name in names),
        aten=kernel.aten or comments[-1][1],
        traffic_bytes=said[-1].traffic_bytes,
    )
