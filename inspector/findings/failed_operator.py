"""The operator that a failed compilation is about, where the error does not lead to its line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.findings.compiler_output import CompilerError
from inspector.findings.kernels_report import graph_codes
from inspector.graphs.reading import read_graphs
from inspector.model.graph import Stage
from inspector.model.kernel import Kernel
from inspector.model.run import Process, Run
from inspector.model.stack import StackFrame, user_frame

_LEAST_NAME = 3  # `t`, `mm` and `to` are words
_WORD = re.compile(r"[A-Za-z_]\w*")


def kernel_lines(
    run: Run, process: Process, compile_id: str, reason: str, error: CompilerError
) -> tuple[str, tuple[StackFrame, ...]]:
    """The kernel that does not compile, and the user's lines that it computes, in order.

    Args:
        run: The run.
        process: The process.
        compile_id: The compilation, as text.
        reason: The whole text of the error.
        error: The first error of the compiler in it.
    """
    graphs = [
        graph for graph in graph_codes(process, run.roots, []) if graph.compile_id == compile_id
    ]
    kernels = [kernel for graph in graphs[-1:] for kernel in graph.kernels]
    named = [kernel for kernel in kernels if re.search(rf"\b{re.escape(kernel.name)}\b", reason)]
    holding = [kernel for kernel in kernels if error.code and error.code in kernel.source]
    found = next(iter(named or holding or (kernels if len(kernels) == 1 else ())), None)
    return (found.name, tuple(_lines(found))) if found else ("", ())


def _lines(kernel: Kernel) -> Iterator[StackFrame]:
    places = dict.fromkeys(
        (node.file, node.line, node.code) for node in kernel.nodes if node.file and node.line
    )
    for file, line, code in places:
        yield StackFrame(file, line, "", code)


def named_operator(run: Run, process: Process, compile_id: str, said: str) -> StackFrame | None:
    """The line of the first operator of Dynamo's graph that a backend's error names.

    Args:
        run: The run.
        process: The process.
        compile_id: The compilation, as text.
        said: What the error says.
    """
    words = {word.strip("_") for word in _WORD.findall(said)}
    places = [place for place in process.graphs.places if place.compile_id == compile_id]
    graphs, _ = read_graphs(places, run.roots, frozenset({Stage.DYNAMO}))
    for graph in reversed(graphs):
        for node in graph.nodes:
            target = node.target.removesuffix(".default")
            name = target.rpartition(".")[2].strip("_")
            if node.is_compute and len(name) >= _LEAST_NAME and name in words:
                return user_frame(node.stack, run.roots)
    return None
