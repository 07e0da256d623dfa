"""What a profile needs of a step of the scheduler besides: lines, operands, bytes that move."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from inspector.graphs.fusion import Fusion, Step
from inspector.graphs.in_place import writes_a_part
from inspector.graphs.lookup import origins
from inspector.graphs.step_names import short_name
from inspector.graphs.targets import is_view
from inspector.graphs.traffic import Traffic
from inspector.model.graph import Node
from inspector.model.kernel import NodeLine

__all__ = ["COPY", "FusionFacts", "Part", "StepFacts"]

COPY = "copy_"
"""How the operator is called of which nothing but a copy is left."""

# What current GPUs compute while they move a byte, roughly: it weighs a product against what is
# fused with it, and says nothing else.
_FLOPS_PER_BYTE = 100


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """One operator's part of a step.

    Attributes:
        line: The user's line, or the operator's name alone.
        operator: The operator of ATen that it was before decompositions, as torch spells it; or the
            program's own kernel.
        share: Of the step's work: all parts add up to 1.
    """

    line: NodeLine
    operator: str
    share: float


@dataclasses.dataclass(frozen=True, slots=True)
class StepFacts:
    """What a step computes, moves and takes.

    Attributes:
        parts: Its operators; what it computes again for another step, and views, are left out if
            there is anything else.
        reads: Bytes that it reads, by the buffer that owns the memory.
        writes: Bytes that it writes likewise.
        bytes_: Bytes that it moves, or None where a size is not known.
        operands: Dtypes that its products multiply, by their operations; of other steps those of
            their results, by their bytes.
        copied_for: What the program does in place, as ATen calls it, if the step does nothing but
            to copy a tensor for that: AOTAutograd lets no graph change what others see.
    """

    parts: tuple[Part, ...]
    reads: Mapping[str, int]
    writes: Mapping[str, int]
    bytes_: int | None
    operands: Mapping[str, int]
    copied_for: str = ""

    @property
    def dtype(self) -> str:
        """The dtype that most of the work is done in, or an empty string."""
        return max(self.operands, key=self.operands.__getitem__) if self.operands else ""


class FusionFacts:
    """Knows the steps of one graph.

    Args:
        fusion: What became of the graph.
    """

    def __init__(self, fusion: Fusion) -> None:
        self._fusion = fusion
        self._traffic = Traffic(fusion.graph)
        self._origins = origins(fusion.graph)

    def of(self, step: Step) -> StepFacts:
        """The facts of a step."""
        memory = self._fusion.memory
        return StepFacts(
            parts=tuple(self._parts(step)),
            reads=memory.rooted(step.reads),
            writes=memory.rooted(step.writes),
            bytes_=step.bytes_,
            operands=self._operands(step),
            copied_for=self._copied_for(step),
        )

    def _copied_for(self, step: Step) -> str:
        """What is done in place that a step makes a copy for, or writes back; or nothing."""
        if step.is_call:
            return ""
        cloned = [*self._cloned(step)]
        if cloned:
            node, _ = cloned[0]
            is_most = 2 * sum(bytes_ for _, bytes_ in cloned) > (step.bytes_ or 0)
            return short_name(node.aten or node.target) if is_most else ""
        own = [node for node in step.operators if not is_view(node)]
        return self._traffic.copied_for([node for node in own if node.name not in step.again])

    def _cloned(self, step: Step) -> Iterator[tuple[Node, float]]:
        """What changes a tensor in a call behind the step, which copies it first; with the bytes.

        Inductor says that both compute the same.
        """
        for node in step.operators if not step.is_call else ():
            size = node.bytes_
            is_there = size in step.reads.values() and size in step.writes.values()
            if size and is_there and node.name in step.again and writes_a_part(node):
                yield node, 2.0 * size

    def _parts(self, step: Step) -> Iterator[Part]:
        relaid, cloned = [*self._relaid(step)], [*self._cloned(step)]
        own = _alone(step, _own(step)) if cloned else _own(step)
        nodes = [*own, *(node for node, _ in (*relaid, *cloned))]
        weights = [self._weight(step, node) for node in own]
        weights += [bytes_ for _, bytes_ in (*relaid, *cloned)]
        whole = sum(weights)
        is_copied = bool(self._copied_for(step)) and not cloned
        copies = {node.name for node, _ in cloned}
        for node, weight in zip(nodes, weights, strict=True):
            share = weight / whole if whole else 1 / len(nodes)
            operator = step.name if step.kind == "user_kernel" else node.aten or node.target
            is_copy = is_copied or node.name in copies
            yield Part(self._line(node), COPY if is_copy else operator, share)

    def _relaid(self, step: Step) -> Iterator[tuple[Node, float]]:
        """What reads inputs of the graph that the step copies into another layout, with the bytes.

        Inductor does that for convolutions' weights, by no operator of the graph's.
        """
        own = {node.name for node in step.operators}
        named = {root for node in step.operators for root in self._roots(node)}
        for name, bytes_ in step.reads.items():
            node = self._traffic.node(name)
            if node is None or node.op != "placeholder" or name in named:
                continue
            reader = self._reader(name)
            if reader is not None and reader.name not in own:
                yield reader, 2.0 * bytes_

    def _roots(self, node: Node) -> Iterator[str]:
        """What a node reads, and what that is a view of."""
        for name in node.inputs:
            yield name
            source = self._traffic.node(name)
            if source is not None and is_view(source):
                yield from self._roots(source)

    def _reader(self, name: str) -> Node | None:
        """The first operator that reads something, if need be through views."""
        for node in self._fusion.graph.nodes:
            if name in node.inputs and node.op != "output":
                found = self._reader(node.name) if is_view(node) else node
                if found is not None:
                    return found
        return None

    def _weight(self, step: Step, node: Node) -> float:
        """What a node would move and compute as a kernel of its own."""
        moved = self._traffic.bytes_alone(node) or 0
        # A gather's kernel reads what it gathers, whatever it is gathered from.
        largest = max((step.bytes_ or 0, *step.reads.values(), *step.writes.values()))
        return min(moved, largest or moved) + (node.flops or 0) / _FLOPS_PER_BYTE

    def _operands(self, step: Step) -> Mapping[str, int]:
        found: collections.Counter[str] = collections.Counter()
        for node in step.operators:
            if node.flops:
                found[self._operand(node)] += node.flops
        if not found:
            for node in step.operators:
                for tensor in node.tensors:
                    found[tensor.dtype] += node.bytes_ or 1
        return found

    def _line(self, node: Node) -> NodeLine:
        """The user's line of a node; of one that a pass of the compiler made, its neighbour's."""
        known = self._origins.get(node.name)
        kind = node.modules[-1][1] if node.modules else ""
        line = NodeLine(node.name, module=node.module, module_class=kind)
        return line.at(known.stack[-1]) if known is not None and known.stack else line

    def _operand(self, node: Node) -> str:
        """The dtype of what a product multiplies: scales, and seeds of dropout, are small."""
        found: collections.Counter[str] = collections.Counter()
        for source in filter(None, map(self._traffic.node, node.inputs)):
            for tensor in source.tensors[:1]:
                found[tensor.dtype] += source.bytes_ or 1
        return max(found, key=found.__getitem__) if found else ""


def _own(step: Step) -> Sequence[Node]:
    """The operators that a step is there for."""
    work = [node for node in step.operators if not is_view(node)] or list(step.operators)
    own = _alone(step, work)
    # All of it counts for another step: it is a part of the last one's operator.
    return own or work[-1:]


def _alone(step: Step, work: Sequence[Node]) -> Sequence[Node]:
    """Those that count for no other step."""
    return [node for node in work if node.name not in step.again]
