"""Generated kernels, and the code that launches them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from inspector.run.cpp_kernel import CppFacts
from inspector.shared.stack import StackFrame, made_class


@dataclasses.dataclass(frozen=True, slots=True)
class NodeLine:
    """A node of the captured graph that a kernel computes, with the user's line.

    Attributes:
        node: The node's name in Dynamo's graph; of a backward pass, also in the post-grad graph.
        module: The path of the innermost module that it is in (``layers.0.norm``), or empty.
        makes: Classes of the layers that the line creates, if no user code runs in them.
    """

    node: str
    file: str = ""
    line: int = 0
    code: str = ""
    module: str = ""
    target: str = ""
    module_class: str = ""
    makes: tuple[str, ...] = ()

    @property
    def frame(self) -> StackFrame:
        """Its place, as frames have it."""
        return StackFrame(self.file, self.line, "", self.code)

    def at(self, frame: StackFrame) -> NodeLine:
        """The same node at the line of a frame."""
        made = made_class(frame.name)
        return dataclasses.replace(
            self, file=frame.file, line=frame.line, code=frame.code, makes=(made,) if made else ()
        )


def weighed_lines(weighed: Iterable[tuple[NodeLine, float]]) -> tuple[NodeLine, ...]:
    """Lines of the user's, each once, with all that it makes; those that weigh most come first."""
    found: dict[tuple[str, int], NodeLine] = {}
    weights: dict[tuple[str, int], float] = {}
    for line, weight in weighed:
        if not line.file:
            continue
        key = line.file, line.line
        known = found.get(key, line)
        makes = tuple(dict.fromkeys((*known.makes, *line.makes)))
        found[key] = dataclasses.replace(known, makes=makes)
        weights[key] = weights.get(key, 0.0) + weight
    return tuple(found[key] for key in sorted(found, key=lambda key: -weights[key]))


@dataclasses.dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel as Inductor defined it.

    Attributes:
        language: Language of the kernel: ``triton``, ``cpp``, or another one that ``async_compile``
            supports.
        kind: A Triton kernel's heuristics (``pointwise``, ``template``, ``user_autotune``, …).
        line: Where its definition begins in the output code, from 1.
        size_hints: Size by the name of its index (``x``, ``r0_``).
        signature: Type by argument (``*fp32``, ``i32``, ``constexpr``).
        inductor_meta: Inductor's metadata (``num_load``, ``kernel_name``, …).
        options: Other arguments of its heuristics (``reduction_hint``, …); as text if they are not
            literals.
        traffic_bytes: Bytes that a launch reads and writes, as Inductor estimates, or None.
        flops: Floating-point operations of a launch, as Inductor estimates, or None.
    """

    name: str
    language: str
    kind: str
    source: str
    line: int
    size_hints: Mapping[str, int] = dataclasses.field(default_factory=dict)
    signature: Mapping[str, str] = dataclasses.field(default_factory=dict)
    inductor_meta: Mapping[str, object] = dataclasses.field(default_factory=dict)
    options: Mapping[str, object] = dataclasses.field(default_factory=dict)
    aten: tuple[str, ...] = ()
    nodes: tuple[NodeLine, ...] = ()
    definition: NodeLine = NodeLine("")
    cpp: CppFacts | None = None
    traffic_bytes: int | None = None
    flops: int | None = None

    @property
    def is_user_written(self) -> bool:
        """Whether its source is user code."""
        return self.kind == "user_autotune"

    @property
    def lines(self) -> tuple[NodeLine, ...]:
        """The distinct user lines that it computes; of a user's own kernel, first its own."""
        nodes = (self.definition, *self.nodes)
        return tuple({(node.file, node.line): node for node in nodes if node.line}.values())


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """One line of the output code that does work: a launch, or a call of a library.

    Attributes:
        kind: ``kernel`` (defined in the same code), ``extern`` (``extern_kernels.mm``) or ``aten``
            (an operator that Inductor left to eager PyTorch).
        repeats: Of a library's call, the line of the first one of the same, or 0.
    """

    kind: str
    name: str
    line: int
    arguments: tuple[str, ...] = ()
    aten: tuple[str, ...] = ()
    nodes: tuple[NodeLine, ...] = ()
    repeats: int = 0

    @property
    def called(self) -> NodeLine | None:
        """The node with a line that is what is called: others went into its inputs.

        Inductor names all that was fused on the way to it, in topological order, so that the call
        itself stands last unless an operator of torch became several.
        """
        placed = [node for node in self.nodes if node.line]
        operator = self.name.split(".")[1:2] or [self.name]
        own = [node for node in placed if _words(operator[0]) & _words(node.target)]
        return next(reversed(own or placed), None)


def _words(target: str) -> set[str]:
    """The parts of a target, alike for what works in place."""
    return {part.rstrip("_") for part in target.split(".") if part} - {"default"}


@dataclasses.dataclass(frozen=True, slots=True)
class GraphCode:
    """The output code of one graph.

    Attributes:
        direction: ``inference``, ``forward`` or ``backward``.
        name: AOTAutograd's name of the graph (``0_inference``), or an empty string.
        alternative: Decision in which this code differs from the chosen code; none for the chosen
            code.
        about: Subject of that decision as torch identifies it, such as padded matrix
            multiplications.
    """

    compile_id: str
    direction: str
    name: str
    kernels: tuple[Kernel, ...]
    calls: tuple[Call, ...]
    file: str = ""
    alternative: str = ""
    about: tuple[str, ...] = ()

    def launches(self, kernel: str) -> int:
        """How often it launches a kernel of its own."""
        return sum(call.kind == "kernel" and call.name == kernel for call in self.calls)
