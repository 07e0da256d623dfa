"""Counts the loops of a C++ kernel as Inductor writes it.

``LoopLevel.lines`` of torch/_inductor/codegen/cpp.py (2.11 to 2.13) writes a pragma, if any, then
``for(int64_t x0=…; x0<…; x0+=…)``, then a body in braces, four spaces further in.
"""

import dataclasses
import re
from collections.abc import Mapping, Sequence

from inspector.records.kernels import CppKernelLoops, source_nodes
from inspector.run.cpp_kernel import CppFacts, CppText
from inspector.run.graph_places import OutputText
from inspector.run.kernel import GraphCode, Kernel, NodeLine

_FOR = re.compile(r"for\s*\(\s*(?:int64_t|long|int)\s+(x\d+)\s*=")
# Loops over lanes, over what is left behind whole vectors, accumulators, and threads.
_AUXILIARY = re.compile(r"for\s*\(\s*(?:int64_t|long|int)\s+(?:i|tid|\w+_inner|\w+_tail)\s*=")
_COLLAPSE = re.compile(r"collapse\((\d+)\)")
_VECTORS = ("at::vec::", "transpose_mxn")


def read_cpp(source: str) -> CppText:
    """Reads a kernel's text."""
    loops: list[tuple[int, bool, bool]] = []  # indentation, whether innermost, whether of vectors
    around: list[int] = []
    shared: dict[str, None] = {}
    collapsed, is_template = 0, False
    for line in source.split("\n"):
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        while around and text not in {"", "{"} and indent <= loops[around[-1]][0]:
            around.pop()
        loop = _FOR.match(text)
        if text.startswith("#pragma omp for"):
            found = _COLLAPSE.search(text)
            collapsed = int(found[1]) if found else 1
        elif loop is not None:
            if around:
                loops[around[-1]] = (loops[around[-1]][0], False, False)
            around.append(len(loops))
            loops.append((indent, True, False))
            shared |= {loop[1]: None} if collapsed else {}
            collapsed = max(0, collapsed - 1)
        elif around and any(word in text for word in _VECTORS):
            own, is_innermost, _ = loops[around[-1]]
            loops[around[-1]] = own, is_innermost, True
        is_template |= text.startswith("for") and not (loop or _AUXILIARY.match(text))
    innermost = tuple(is_vector for _, is_innermost, is_vector in loops if is_innermost)
    return CppText(innermost, tuple(shared), is_template)


def with_recorded(graph: GraphCode, text: OutputText, lines: Mapping[str, NodeLine]) -> GraphCode:
    """The graph, with what was recorded of its kernels.

    `lines` are the user's by nodes of Dynamo's graph and, backward, of the post-grad one: the
    wrapper has no comments before C++ kernels.
    """
    kernels: list[Kernel] = []
    for kernel in graph.kernels:
        if kernel.language == "cpp":
            # Those of equal code have one name.
            said = [item for item in text.cpp if item.name == kernel.name]
            kernels.append(_of_cpp(kernel, said, lines))
            continue
        for item in text.triton:
            if item.name == kernel.name:
                kernel = dataclasses.replace(  # noqa: PLW2901
                    kernel, traffic_bytes=item.traffic_bytes, flops=item.flops
                )
        kernels.append(kernel)
    return dataclasses.replace(graph, kernels=tuple(kernels))


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
