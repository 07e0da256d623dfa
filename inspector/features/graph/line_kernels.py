"""The kernels of a line: those that its operators count for.

Inductor hands names on: the kernel that adds a bias behind a convolution has the names of all that
the convolution takes, and what copies a weight into another layout has those of whatever stands
around. A kernel belongs to a line whose operator it computes, or prepares, finishes or copies for;
bytes count for these lines alone.
"""

import dataclasses
import enum
from collections.abc import Iterator, Mapping

from inspector.features.graph.fusion import Fusion, Step
from inspector.features.graph.step_names import named_nodes, number_of, part_of
from inspector.run.graph import Graph, Node, Stage, is_view


class Relation(enum.Enum):
    """How a node belongs to a line; the closest first."""

    DIRECT = "direct"
    """The innermost of the user's frames is there."""
    THROUGH = "through"
    """Another frame is there: the line calls what made the node."""
    DERIVED = "derived"
    """A pass of Inductor made the node without a stack; its neighbours' is there."""


@dataclasses.dataclass(frozen=True, slots=True)
class FoundNode:
    """A node that comes from the requested line."""

    graph: Graph
    node: Node
    relation: Relation

    @property
    def is_backward(self) -> bool:
        """Whether it runs in the backward pass, which includes nodes recomputed there."""
        is_there = self.graph.stage is Stage.BACKWARD or self.graph.direction == "backward"
        return is_there or self.node.is_backward


@dataclasses.dataclass(frozen=True, slots=True)
class KernelAtLine:
    """A kernel or library call that computes part of a line.

    Attributes:
        graph: The name of its graph.
        number: Which step of the generated code it is, from 1.
        nodes: Names of its operators that belong to the line.
        bytes_: Bytes that it reads and writes, or None.
        part: Its contribution to an operator of the line that is attributed to another kernel, if
            any.
        is_shared: Whether it computes something of other lines, too.
    """

    graph: str
    kernel: str
    nodes: tuple[str, ...]
    is_backward: bool
    number: int
    bytes_: int | None
    part: str
    is_shared: bool


def kernels_at_line(fusion: Fusion, found: Mapping[str, FoundNode]) -> Iterator[KernelAtLine]:
    """The kernels of a line, in the order of the generated code."""
    for step in fusion.steps:
        kernel = None if step.is_view else _kernel(fusion, step, found)
        if kernel is not None:
            yield kernel


def _kernel(fusion: Fusion, step: Step, found: Mapping[str, FoundNode]) -> KernelAtLine | None:
    part = part_of(fusion, step)
    # A view computes nothing: a kernel is of its line where it has nothing else.
    own = _own(step)
    work = [name for name, node in own.items() if not is_view(node)] or list(own)
    names = [named_nodes(step)[-1].name] if part else list(own)
    nodes = tuple(name for name in names if name in found)
    if not nodes or not (part or any(name in found for name in work)):
        return None
    return KernelAtLine(
        graph=fusion.name,
        kernel=step.name,
        nodes=nodes,
        is_backward=fusion.direction == "backward",
        number=number_of(fusion, step),
        bytes_=step.bytes_,
        part=part,
        is_shared=not part and any(name not in found for name in work),
    )


def _own(step: Step) -> dict[str, Node]:
    return {node.name: node for node in step.operators if node.name not in step.again}
