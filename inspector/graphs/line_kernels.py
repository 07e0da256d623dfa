"""The kernels of a line: those that its operators count for.

Inductor hands names on: the kernel that adds a bias behind a convolution has the names of all that
the convolution takes, and what copies a weight into another layout has those of whatever stands
around. A kernel belongs to a line whose operator it computes, or prepares, finishes or copies for;
bytes count for these lines alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping

from inspector.graphs.found_node import FoundNode, Relation
from inspector.graphs.fusion import Fusion, Step
from inspector.graphs.step_names import named_nodes, part_of
from inspector.graphs.targets import is_view
from inspector.model.graph import Node


@dataclasses.dataclass(frozen=True, slots=True)
class KernelAtLine:
    """A kernel, or a call of a library, that computes something of a line.

    Attributes:
        nodes: Those of its operators that belong to the line.
        part: What it does for an operator of the line that another kernel computes.
        is_again: Whether it computes them again, for other lines: its bytes count for those.
    """

    fusion: Fusion
    step: Step
    nodes: tuple[FoundNode, ...]
    part: str = ""
    is_again: bool = False
    is_shared: bool = False

    @property
    def is_backward(self) -> bool:
        """Whether it runs in the backward pass."""
        return self.fusion.direction == "backward"

    @property
    def relation(self) -> Relation:
        """The closest of its operators'."""
        order = list(Relation)
        return min((found.relation for found in self.nodes), key=order.index)


def kernels_at_line(fusion: Fusion, found: Mapping[str, FoundNode]) -> Iterator[KernelAtLine]:
    """The kernels of a line, in the order of the generated code."""
    for step in fusion.steps:
        # What takes one of a library's results is a step without being a kernel.
        takes_one = step.is_call and all(is_view(node) for node in step.operators)
        kernel = None if takes_one else _kernel(fusion, step, found)
        if kernel is not None:
            yield kernel


def _kernel(fusion: Fusion, step: Step, found: Mapping[str, FoundNode]) -> KernelAtLine | None:
    part = part_of(fusion, step)
    if part:
        mine = _found([named_nodes(step)[-1].name], found)
        return KernelAtLine(fusion, step, mine, part) if mine else None
    # A view computes nothing: a kernel is of its line where it has nothing else.
    own = _own(step)
    work = [name for name, node in own.items() if not is_view(node)] or list(own)
    if any(name in found for name in work):
        is_shared = any(name not in found for name in work)
        return KernelAtLine(fusion, step, _found(own, found), is_shared=is_shared)
    again = _found(_computed_again(fusion, step), found)
    return KernelAtLine(fusion, step, again, is_again=True) if again else None


def _found(names: Iterable[str], found: Mapping[str, FoundNode]) -> tuple[FoundNode, ...]:
    return tuple(found[name] for name in names if name in found)


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
