"""The kernels of a line: those that its operators count for.

Inductor hands names on: the kernel that adds a bias behind a convolution has the names of all that
the convolution takes, and what copies a weight into another layout has those of whatever stands
around. A kernel belongs to a line whose operator it computes, or prepares, finishes or copies for;
bytes count for these lines alone.
"""

import dataclasses
import enum
from collections.abc import Iterable, Iterator, Mapping

from inspector.features.graph.fusion import Fusion, Step
from inspector.features.graph.step_names import named_nodes, number_of, part_of
from inspector.features.graph.targets import is_view
from inspector.run.graph import Graph, Node, Stage
from inspector.run.kernel import Call, GraphCode, Kernel, NodeLine


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
    """A node that a line led to."""

    graph: Graph
    node: Node
    relation: Relation

    @property
    def is_backward(self) -> bool:
        """Whether it runs in the backward pass; what is recomputed there does."""
        is_there = self.graph.stage is Stage.BACKWARD or self.graph.direction == "backward"
        return is_there or self.node.is_backward


@dataclasses.dataclass(frozen=True, slots=True)
class KernelAtLine:
    """A kernel or library call that computes part of a line.

    Attributes:
        graph: The name of its graph.
        number: Which step of the generated code it is, from 1; 0 in a log of torch's own.
        nodes: The names of those of its operators that belong to the line.
        bytes_: Bytes that it reads and writes; None if they count for other lines.
        part: What it does for an operator of the line that another kernel computes.
        is_again: Whether it recomputes them for other lines.
        is_shared: Whether it computes something of other lines, too.
    """

    graph: str
    kernel: str
    nodes: tuple[str, ...]
    is_backward: bool
    number: int = 0
    bytes_: int | None = None
    part: str = ""
    is_again: bool = False
    is_shared: bool = False
    relation: Relation = Relation.DIRECT


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
    is_again = not part and not any(name in found for name in work)
    names: Iterable[str] = own
    if part:
        names = [named_nodes(step)[-1].name]
    elif is_again:
        names = _computed_again(fusion, step)
    nodes = [found[name] for name in names if name in found]
    if not nodes:
        return None
    return KernelAtLine(
        graph=fusion.name,
        kernel=step.name,
        nodes=tuple(item.node.name for item in nodes),
        is_backward=fusion.direction == "backward",
        number=number_of(fusion, step),
        bytes_=None if is_again else step.bytes_,
        part=part,
        is_again=is_again,
        is_shared=not part and not is_again and any(name not in found for name in work),
        relation=min((item.relation for item in nodes), key=list(Relation).index),
    )


def _computed_again(fusion: Fusion, step: Step) -> list[str]:
    """What a kernel computes though it counts for another one, in order: no name handed on."""
    inner = {node.name: node for node in step.operators}
    read = {fusion.buffers[name].origin for name in step.reads if name in fusion.buffers}
    read |= {name for item in fusion.steps if item.is_call for name in _own(item)}
    needed: set[str] = set()
    waiting = [name for node in _own(step).values() for name in node.inputs]
    while waiting:
        name = waiting.pop()
        node = inner.get(name)
        if node is None or name in needed or name in read:
            continue
        needed.add(name)
        waiting += node.inputs
    needed = {name for name in needed if not is_view(inner[name])}
    return [name for name in inner if name in needed and name in step.again]


def _own(step: Step) -> dict[str, Node]:
    return {node.name: node for node in step.operators if node.name not in step.again}


def kernels_naming(
    graphs: Iterable[GraphCode], files: Iterable[str], line: int
) -> Iterator[KernelAtLine]:
    """The kernels whose comments name a line: all that a log of torch's own says of it.

    In the order of the generated code, each once for a graph; nodes are those of Dynamo's graph.
    """
    places = {(file, line) for file in files}
    for graph in graphs:
        named: dict[str, dict[NodeLine, None]] = {}
        items: tuple[Kernel | Call, ...] = (*graph.kernels, *graph.calls)
        for item in items:
            named.setdefault(item.name, {}).update(dict.fromkeys(item.nodes))
        for name in dict.fromkeys((*(call.name for call in graph.calls), *named)):
            own = [node.node for node in named[name] if (node.file, node.line) in places]
            if own:
                yield KernelAtLine(
                    graph=f"{graph.compile_id or graph.name} {graph.direction}",
                    kernel=name,
                    nodes=tuple(own),
                    is_backward=graph.direction == "backward",
                    is_shared=len(own) < len(named[name]),
                )
