"""Reads the loops out of a C++ kernel as Inductor writes it.

``LoopLevel.lines`` of torch/_inductor/codegen/cpp.py (2.11 to 2.13) writes a pragma, if any, then
``for(int64_t x0=…; x0<…; x0+=…)``, then a body in braces. That much is read; a ``for`` of another
form (a template's, say) is kept as text.
"""

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence

from inspector.records.kernels import CppKernelLoops, source_nodes
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
# Loops over lanes, over what is left behind whole vectors, accumulators, and threads.
_AUXILIARY = re.compile(r"i|tid|\w+(_inner|_tail)")
_NUMBER = re.compile(r"\w+\s*\+=\s*\(?(?:int64_t\()?(\d+)L?\)*")
_COLLAPSE = re.compile(r"collapse\((\d+)\)")
_GB = 1e9


def read_cpp(source: str) -> CppText:
    """Reads a kernel's text."""
    reader = _Reader()
    for number, line in enumerate(source.split("\n"), 1):
        reader.take(number, line.strip())
    return CppText(tuple(reader.ended()), tuple(reader.unread))


class _Reader:
    def __init__(self) -> None:
        self.unread: list[str] = []
        self._loops: list[TextLoop] = []
        self._open: list[tuple[int, int]] = []  # index in _loops or -1, and braces before it
        self._braces = 0
        self._pragma = ""
        self._collapsed = 0  # loops to come that threads share together with the last one

    def take(self, number: int, line: str) -> None:
        if line.startswith("#pragma"):
            self._pragma = line
            return
        if line.startswith("for"):
            loop = _FOR.match(_CAST.sub("(", line))
            index = -1
            if loop is not None and _ITERATION.fullmatch(loop["var"]):
                index = len(self._loops)
                self._loops.append(self._loop(number, loop))
            elif loop is None or not _AUXILIARY.fullmatch(loop["var"]):
                self.unread.append(line)
            self._open.append((index, self._braces))
        else:
            self._note(line)
        if line:
            self._pragma = ""
        for character in _STRING.sub("", line):
            if character == "{":
                self._braces += 1
            elif character == "}":
                self._braces -= 1
                while self._open and self._open[-1][1] >= self._braces:
                    self._open.pop()

    def ended(self) -> Iterator[TextLoop]:
        """The loops; of those that hold another, that they do."""
        for index, loop in enumerate(self._loops):
            inside = index + 1 < len(self._loops) and self._loops[index + 1].depth > loop.depth
            yield dataclasses.replace(loop, is_innermost=not inside)

    def _loop(self, number: int, found: re.Match[str]) -> TextLoop:
        step = _NUMBER.fullmatch(found["step"].strip())
        parallel, is_collapsed = 0, False
        if self._pragma.startswith("#pragma omp for"):
            more = _COLLAPSE.search(self._pragma)
            parallel = int(more[1]) if more else 1
            self._collapsed = parallel - 1
        elif self._collapsed > 0:
            is_collapsed = True
            self._collapsed -= 1
        plain = re.sub(r"\b(\d+)L\b", r"\1", found["end"].strip())
        while plain.startswith("(") and plain.endswith(")") and _is_paired(plain[1:-1]):
            plain = plain[1:-1].strip()
        # ``(64L)`` as ``64``.
        return TextLoop(
            var=found["var"],
            size=plain,
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
        is_vector = loop.is_vector or "at::vec::" in line or "transpose_mxn" in line
        self._loops[index] = dataclasses.replace(loop, is_vector=is_vector)


def _is_paired(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


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
        # In a source where Inductor was asked for it (codegen/triton.py).
        number = kernel.inductor_meta.get("kernel_num_gb")
        asked = round(number * _GB) if isinstance(number, int | float) else None
        facts = [(item.traffic_bytes, item.flops) for item in text.triton
                 if item.name == kernel.name] or [(asked, None)]  # fmt: skip
        traffic_bytes, flops = facts[-1]
        kernels.append(dataclasses.replace(kernel, traffic_bytes=traffic_bytes, flops=flops))
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
