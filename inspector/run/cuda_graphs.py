"""CUDA graphs of a process: what was captured, what was not, and how often graphs ran."""

import dataclasses
import enum
from collections.abc import Mapping

from inspector.records.cuda_graphs import CudaGraphCalls, CudaGraphPartitions, FunctionKey
from inspector.shared.stack import StackFrame
from inspector.trace.graph_text import TextNode


class WarningKind(enum.Enum):
    """What torch warned of."""

    SKIP = "skip"
    LIMIT = "limit"
    SIZES = "sizes"


@dataclasses.dataclass(frozen=True, slots=True)
class CudaGraphWarning:
    """A warning of torch about CUDA graphs.

    Attributes:
        kind: Kind of warning: ``skip`` (no graph is captured), ``limit`` (no further captures after
            too many) or ``sizes`` (captures for many sizes).
        key: The function that was called, or None while something is compiled.
        evidence: Source of the warning: an artifact of torch-inspector, or ``compilation_metrics``.
    """

    kind: WarningKind
    reason: str
    stack: tuple[StackFrame, ...]
    compile_id: str
    key: FunctionKey | None
    evidence: str


@dataclasses.dataclass(frozen=True, slots=True)
class CudaGraphs:
    """Everything about the CUDA graphs of a process.

    Attributes:
        captured: Captures by compilation, as torch's own spans say; all that a plain trace has.
        inputs: What goes into Dynamo's graph, in order, by compilation, where one was captured.
    """

    functions: tuple[CudaGraphCalls, ...] = ()
    warnings: tuple[CudaGraphWarning, ...] = ()
    partitions: tuple[CudaGraphPartitions, ...] = ()
    captured: Mapping[str, int] = dataclasses.field(default_factory=dict)
    inputs: Mapping[str, tuple[TextNode, ...]] = dataclasses.field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.functions or self.warnings or self.partitions or self.captured)
