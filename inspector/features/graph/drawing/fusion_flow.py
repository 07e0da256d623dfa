"""Which kernel gives which tensor to which, and what is only counted in a kernel's box."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping

from inspector.features.graph.drawing.roles import Roles
from inspector.features.graph.fusion import Fusion, Step
from inspector.records.fusion import Buffer
from inspector.run.graph import Node, is_view

_GIVEN = frozenset({"input", "constant"})  # kinds of buffers that no kernel writes
_MOST_ENDS = 6


@dataclasses.dataclass(frozen=True, slots=True)
class Amount:
    """Tensors that are counted and not drawn."""

    count: int = 0
    bytes_: int = 0

    @classmethod
    def of(cls, sizes: Iterable[int]) -> Amount:
        """So many, and their sum."""
        found = list(sizes)
        return cls(len(found), sum(found))


@dataclasses.dataclass(frozen=True, slots=True)
class Kernel:
    """A step with what is counted in its box.

    Attributes:
        parameters: Parameters that it reads, brought into another layout or not.
        kept: Tensors that it reads and that the forward pass kept.
        saves: Tensors that it writes for the backward pass.
        returns: Results that are not drawn, being many.
    """

    step: Step
    parameters: Amount = Amount()
    kept: Amount = Amount()
    saves: Amount = Amount()
    returns: Amount = Amount()


@dataclasses.dataclass(frozen=True, slots=True)
class Flow:
    """A tensor on its way.

    Attributes:
        source: Place of the kernel that writes it, or -1 for an input of the graph.
        target: Place of the kernel that reads it, or -1 for a result of the graph.
        bytes_: Bytes of it that are read, or written in case of a result.
    """

    source: int
    target: int
    buffer: Buffer
    bytes_: int


@dataclasses.dataclass(frozen=True, slots=True)
class FusionFlow:
    """What is drawn.

    Attributes:
        kernels: In order; the flows' places are places in it.
        prepared: Kernels that do nothing but bring parameters into another layout.
    """

    kernels: tuple[Kernel, ...]
    flows: tuple[Flow, ...]
    prepared: tuple[Step, ...]


def make_flow(fusion: Fusion, roles: Roles) -> FusionFlow:
    """Sorts out the tensors of a graph."""
    return _Builder(fusion, roles).build()


class _Builder:
    def __init__(self, fusion: Fusion, roles: Roles) -> None:
        self._roles = roles
        self._buffers, self._memory = fusion.buffers, fusion.memory
        self._nodes = {node.name: node for node in fusion.graph.nodes}
        self._parameters = set(roles.parameters)
        # One of several results taken out of a call costs nothing.
        steps = [
            step
            for step in fusion.steps
            if step.reads or step.writes or step.bytes_ or not all(map(is_view, step.operators))
        ]
        self._prepared = [step for step in steps if self._is_preparation(step)]
        self._steps = [step for step in steps if step not in self._prepared]
        self._is_forward = fusion.direction == "forward"
        self._returned = {self._base(name) for name in roles.returned}

    def build(self) -> FusionFlow:
        flows = [*self._reads(), *self._results()]
        drawn = [flow for flow in flows if flow.target < 0]
        if len(drawn) > _MOST_ENDS:
            flows = [flow for flow in flows if flow.target >= 0]
        else:
            drawn = []
        kernels = []
        for place, step in enumerate(self._steps):
            parameters, kept = (
                Amount.of(size for name, size in step.reads.items() if name in counted)
                for counted in (self._parameters, self._roles.kept)
            )
            saves = Amount.of(n for name, n in step.writes.items() if self._is_saved(name))
            returns = Amount.of(flow.bytes_ for flow in drawn if flow.source == place)
            kernels.append(Kernel(step, parameters, kept, saves, returns))
        return FusionFlow(tuple(kernels), tuple(flows), tuple(self._prepared))

    def _is_preparation(self, step: Step) -> bool:
        """Whether it only moves parameters; then what it writes counts as parameters as well."""
        moves = all(is_view(node) or node.name in step.again for node in step.operators)
        if not (moves and step.reads and self._parameters.issuperset(step.reads)):
            return False
        self._parameters.update(step.writes)
        return True

    def _reads(self) -> Iterator[Flow]:
        writers: dict[str, list[tuple[int, str, int]]] = {}
        makers = {node.name: n for n, step in enumerate(self._steps) for node in step.operators}
        hidden = self._parameters | self._roles.kept
        for place, step in enumerate(self._steps):
            for name, size in step.reads.items():
                if name in hidden:
                    continue
                buffer = self._buffers.get(name) or Buffer(name, "")
                known = writers.get(self._memory.root(name))
                if known is None:
                    maker = self._maker(buffer, makers)
                    if maker < 0 and name in self._buffers and buffer.kind not in _GIVEN:
                        continue  # nobody else writes it: the kernel hands it on within itself
                    known = [(maker, name, size)]
                for source, written, given in known:
                    is_part = self._memory.is_part(written)
                    part = self._memory.buffer(written) if is_part else buffer
                    if source != place:
                        yield Flow(source, place, part, min(size, given) if is_part else size)
            for name, size in step.writes.items():
                others = writers.setdefault(self._memory.root(name), [])
                if not self._memory.is_part(name):
                    others.clear()
                others.append((place, name, size))

    def _maker(self, buffer: Buffer, makers: Mapping[str, int]) -> int:
        """Of one of several results of a call, which no step says that it writes."""
        if buffer.kind in _GIVEN:
            return -1
        node: Node | None = self._nodes.get(buffer.origin)
        while node is not None and node.name not in makers:
            node = self._nodes.get(node.inputs[0]) if node.inputs else None
        return makers[node.name] if node is not None else -1

    def _results(self) -> Iterator[Flow]:
        for place, step in enumerate(self._steps):
            for name, size in step.writes.items():
                whole = self._memory.root(name) if self._memory.is_part(name) else name
                returned = self._buffers.get(whole)
                if returned is None or returned.kind != "output":
                    continue
                if returned.origin in self._returned or not (
                    self._is_saved(whole) or self._roles.returned
                ):
                    yield Flow(place, -1, self._memory.buffer(name), size)

    def _is_saved(self, name: str) -> bool:
        buffer = self._buffers.get(name)
        if buffer is None or buffer.kind != "output" or not self._roles.saved:
            return False
        if buffer.origin in self._returned:
            return buffer.origin in self._roles.saved
        return self._is_forward

    def _base(self, name: str) -> str:
        """What is in memory behind a view."""
        node = self._nodes.get(name)
        while node is not None and is_view(node) and node.inputs:
            name = node.inputs[0]
            node = self._nodes.get(name)
        return name
