"""Where the code that Inductor generated lies, until somebody asks for it."""

from __future__ import annotations

import dataclasses

from inspector.events.payload import Payload
from inspector.records.gpu_target import GpuTarget
from inspector.records.kernels import CppKernelLoops, TritonKernelFacts


@dataclasses.dataclass(frozen=True, slots=True)
class OutputText:
    """The output code of one graph.

    Attributes:
        graph: Where the text of the graph is that Dynamo captured, or None.
        nodes: The same as data, or None: no plain trace has them.
        lowered: Where the text of the post-grad graph is, which Inductor lowered, or None.
        rest: Of what AOTInductor generates ahead of time, where the C++ kernels are, or None.
    """

    compile_id: str
    text: Payload | None
    file: str
    graph: Payload | None
    cpp: tuple[CppKernelLoops, ...] = ()
    triton: tuple[TritonKernelFacts, ...] = ()
    lowered: Payload | None = None
    nodes: Payload | None = None
    lowered_nodes: Payload | None = None
    rest: Payload | None = None
    is_ahead: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class OutputCodes:
    """All output code of a process.

    Attributes:
        gpu: What ``--gpu`` calls the GPU that is not there, or an empty string.
    """

    gpu: str = ""
    texts: tuple[OutputText, ...] = ()
    targets: tuple[tuple[str, GpuTarget], ...] = ()
