"""Joins the C++ kernels of a graph with what was recorded of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from inspector.events.cpp_kernel import InspectorCppKernel, source_nodes
from inspector.kernels.cpp_source import read_cpp
from inspector.model.cpp_kernel import CppFacts
from inspector.model.kernel import GraphCode, Kernel, NodeLine

__all__ = ["with_cpp_facts"]


def with_cpp_facts(
    graph: GraphCode, said: Sequence[InspectorCppKernel], lines: Mapping[str, NodeLine]
) -> GraphCode:
    """The graph, with what is known of its C++ kernels.

    Args:
        graph: The graph; the wrapper has no comments before C++ kernels.
        said: What was recorded of its C++ kernels, in the order in which they were made.
        lines: The user's lines by the names of nodes in Dynamo's graph.
    """
    found = {item.name: item for item in reversed(said)}
    kernels = tuple(
        _known(kernel, found.get(kernel.name), lines) if kernel.language == "cpp" else kernel
        for kernel in graph.kernels
    )
    return dataclasses.replace(graph, kernels=kernels)


def _known(
    kernel: Kernel, said: InspectorCppKernel | None, lines: Mapping[str, NodeLine]
) -> Kernel:
    facts = CppFacts(read_cpp(kernel.source), said)
    if said is None or kernel.nodes or kernel.aten:
        return dataclasses.replace(kernel, cpp=facts)
    names, aten = source_nodes(said.comment)
    nodes = tuple(lines.get(name, NodeLine(name)) for name in names)
    return dataclasses.replace(kernel, cpp=facts, nodes=nodes, aten=aten)
