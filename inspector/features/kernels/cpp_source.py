"""Reads the loops out of a C++ kernel as Inductor writes it.

``LoopLevel.lines`` of torch/_inductor/codegen/cpp.py (2.11 to 2.13) writes a pragma, if any, then
``for(int64_t x0=…; x0<…; x0+=…)``, then a body in braces. That much is read; a ``for`` of another
form (a template's, say) is kept as text.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence

from inspector.records.kernels import CppKernelLoops, TritonKernelFacts, source_nodes
from inspector.run.cpp_kernel import CppFacts, CppText, TextLoop
from inspector.run.graph_places import OutputText
from inspector.run.kernel import GraphCode, Kernel, NodeLine

_CAST = re.compile(r"static_cast<\w+>\(")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_FOR = re.compile(
    r"for\s*\(\s*(?:int64_t|long|int)\s+(?P<var>\w+)\s*=\s*(?P<begin>[^;]*);"
    r"\s*(?P=var)\s*<\s*(?P<end>[^;]*);\s*(?P<step>[^;]*)\)\s*\{?\s*$"
)
_ITERATION = re.compile(r"x\d+")
_NUMBER = re.compile(r"\w+\s*\+=\s*\(?(?:int64_t\()?(\d+)L?\)*")
_COLLAPSE = re.compile(r"collapse\((\d+)\)")
_PARALLEL = "#pragma omp parallel"
_GATHER = re.compile(r"\btmpbuf;")
_GB = 1e9


def read_cpp(source: str) -> CppText:
    """Reads a kernel's text."""
    reader = _Reader()
    for number, line in enumerate(source.split("\n"), 1):
        reader.take(number, line.strip())
    return CppText(tuple(reader.ended()), reader.regions, tuple(reader.unread))


class _Reader:
    def __init__(self) -> None:
        self.regions = 0
        self.unread: list[str] = []
        self._loops: list[TextLoop] = []
        self._open: list[tuple[int, int]] = []  # index in _loops or -1, and braces before it
        self._braces = 0
        self._pragma = ""
        self._collapsed = 0  # loops to come that threads share together with the last one

    def take(self, number: int, line: str) -> None:
        """Takes one line."""
        if line.startswith("#pragma"):
            self._pragma = line
            self.regions += line.startswith(_PARALLEL)
            return
        if line.startswith("for"):
            self._begin(number, line)
        else:
            self._note(line)
        if line:
            self._pragma = ""
        text = _STRING.sub("", line)
        for character in text:
            if character == "{":
                self._braces += 1
            elif character == "}":
                self._braces -= 1
                self._end()

    def ended(self) -> Iterator[TextLoop]:
        """The loops; of those that hold another, that they do."""
        for index, loop in enumerate(self._loops):
            inside = index + 1 < len(self._loops) and self._loops[index + 1].depth > loop.depth
            yield dataclasses.replace(loop, is_innermost=not inside)

    def _begin(self, number: int, line: str) -> None:
        found = _FOR.match(_CAST.sub("(", line))
        if found is None:
            self.unread.append(line)
        index = -1
        if found is not None and _ITERATION.fullmatch(found["var"]):
            index = len(self._loops)
            self._loops.append(self._loop(number, found))
        elif found is not None and not _is_auxiliary(found["var"]):
            self.unread.append(line)
        self._open.append((index, self._braces))

    def _loop(self, number: int, found: re.Match[str]) -> TextLoop:
        step = _NUMBER.fullmatch(found["step"].strip())
        shared = self._pragma.startswith("#pragma omp for")
        is_collapsed = not shared and self._collapsed > 0
        parallel = 0
        if shared:
            more = _COLLAPSE.search(self._pragma)
            parallel = int(more[1]) if more else 1
            self._collapsed = parallel - 1
        elif is_collapsed:
            self._collapsed -= 1
        return TextLoop(
            var=found["var"],
            size=_plain(found["end"]),
            step=int(step[1]) if step else (1 if found["step"].endswith("++") else 0),
            line=number,
            depth=sum(index >= 0 for index, _ in self._open),
            parallel=parallel,
            is_collapsed=is_collapsed,
        )

    def _note(self, line: str) -> None:
        index = next((index for index, _ in reversed(self._open) if index >= 0), -1)
        if index < 0:
            return
        loop = self._loops[index]
        self._loops[index] = dataclasses.replace(
            loop,
            is_vector=loop.is_vector or "at::vec::" in line or "transpose_mxn" in line,
            gathers=loop.gathers + len(_GATHER.findall(line)),
        )

    def _end(self) -> None:
        while self._open and self._open[-1][1] >= self._braces:
            self._open.pop()


def _is_auxiliary(var: str) -> bool:
    """Loops over lanes, over what is left behind whole vectors, accumulators, and threads."""
    return var in {"i", "tid"} or var.endswith(("_inner", "_tail"))


def _plain(text: str) -> str:
    """``(64L)`` as ``64``."""
    plain = re.sub(r"\b(\d+)L\b", r"\1", text.strip())
    while plain.startswith("(") and plain.endswith(")") and _is_paired(plain[1:-1]):
        plain = plain[1:-1].strip()
    return plain


def _is_paired(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


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
