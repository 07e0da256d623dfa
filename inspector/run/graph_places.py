"""Where the graphs of a process lie, and the code of them, until somebody asks for them."""

import dataclasses
from collections.abc import Mapping

from inspector.records.gpu_target import GpuTarget
from inspector.records.kernels import CppKernelLoops, TritonKernelFacts
from inspector.trace.payload import Payload


@dataclasses.dataclass(frozen=True, slots=True)
class GraphPlace:
    """One graph of one stage.

    Attributes:
        stage: ``dynamo``, ``pre_grad``, ``joint``, ``forward``, ``backward``, ``inference``,
            ``prims``, ``post_grad`` or ``fusion``; ``before_…`` and ``after_…`` of graphs that are
            known for what passes change in them, and ``passes`` for that itself.
        recorded: Where its nodes are as data, or None: no plain trace has them.
    """

    compile_id: str
    stage: str
    recorded: Payload | None = None
    text: Payload | None = None
    pass_name: str = ""

    def read_text(self) -> str:
        """Torch's text of it, or an empty string."""
        return self.text.text() if self.text else ""


@dataclasses.dataclass(frozen=True, slots=True)
class GraphPlaces:
    """All graphs of a process."""

    places: tuple[GraphPlace, ...] = ()
    hints: Mapping[str, Mapping[str, int]] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class OutputText:
    """The output code of one graph.

    Attributes:
        rest: Of what AOTInductor generates ahead of time, where the C++ kernels are, or None.
    """

    compile_id: str
    text: Payload | None
    file: str
    graph: GraphPlace | None
    lowered: GraphPlace | None = None
    cpp: tuple[CppKernelLoops, ...] = ()
    triton: tuple[TritonKernelFacts, ...] = ()
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
