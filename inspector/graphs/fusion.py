"""What Inductor fused: each kernel with its operators, its traffic, and what fusing removed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from inspector.events.fusion import Buffer, FusionPlan, Launch, Operation
from inspector.graphs.traffic import Traffic, is_view
from inspector.model.graph import Graph, Node

__all__ = ["Fusion", "Step", "make_fusion"]


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One kernel, or one call of a library, with all that it computes.

    Attributes:
        name: The kernel's name, or the function's of a library (``aten.addmm.out``).
        kind: As `inspector.events.fusion.Operation.kind`.
        operators: The nodes of the post-grad graph that it computes, in order. A cheap one may
            stand in several steps, each of which computes it.
        launches: Places in the plan of what it is made of: in C++ one kernel has several.
        reads: Bytes that it reads, by buffer.
        writes: Bytes that it writes, by buffer.
        bytes_: Bytes that it reads and writes, as Inductor counts them, or None.
        bytes_alone: Bytes if each of its operators were a kernel of its own, which reads its inputs
            and writes what it gives; views cost nothing. None where a size is not known.
        flops: Floating-point operations by torch's formulas (of multiplications, convolutions and
            attention), or None where none of its operators has one.
        removed: Those operators whose value never reaches memory; views are not among them.
    """

    name: str
    kind: str
    operators: tuple[Node, ...]
    launches: tuple[int, ...]
    reads: Mapping[str, int]
    writes: Mapping[str, int]
    bytes_: int | None
    bytes_alone: int | None
    flops: int | None
    removed: tuple[Node, ...]

    @property
    def is_call(self) -> bool:
        """Whether it is a call of a library, or of a kernel that the user wrote."""
        return self.kind in {"extern", "fallback", "user_kernel"}

    @property
    def flops_per_byte(self) -> float | None:
        """The arithmetic intensity, or None where it is not known."""
        if not self.flops or not self.bytes_:
            return None
        return self.flops / self.bytes_


@dataclasses.dataclass(frozen=True, slots=True)
class Fusion:
    """What became of one graph.

    Attributes:
        compile_id: The compilation, as text.
        direction: ``inference``, ``forward`` or ``backward``.
        number: How many graphs of the same compilation and direction stand before it.
        steps: In the order of the generated code; what generates no code is left out.
        buffers: By name.
        plan: What Inductor said.
        graph: The post-grad graph.
    """

    compile_id: str
    direction: str
    number: int
    steps: tuple[Step, ...]
    buffers: Mapping[str, Buffer]
    plan: FusionPlan
    graph: Graph

    @property
    def name(self) -> str:
        """How it is called: ``0/0 forward``."""
        part = f" ({self.number + 1})" if self.number else ""
        return f"{self.compile_id} {self.direction}{part}"

    @property
    def bytes_(self) -> int | None:
        """Bytes that all steps read and write, or None."""
        return total(step.bytes_ for step in self.steps)

    @property
    def bytes_alone(self) -> int | None:
        """Bytes if each operator were a kernel of its own, or None."""
        return total(step.bytes_alone for step in self.steps)

    @property
    def removed_bytes(self) -> int | None:
        """Bytes of the tensors between fused operators that never reach memory, or None."""
        return total(node.bytes_ for step in self.steps for node in step.removed)


def total(sizes: Iterable[int | None]) -> int | None:
    """The sum, or None where a part of it is not known."""
    found = list(sizes)
    return None if None in found else sum(size or 0 for size in found)


def make_fusion(plan: FusionPlan, graph: Graph, number: int = 0) -> Fusion:
    """Joins what the scheduler did with the graph that it lowered.

    Args:
        plan: What it did.
        graph: The post-grad graph of the same compilation and direction.
        number: How many graphs of both stand before it.
    """
    operations = {operation.name: operation for operation in plan.operations}
    shared: dict[object, list[int]] = {}
    for place, launch in enumerate(plan.launches):
        if launch.kind != "nop":
            key = place if launch.number is None else ("kernel", launch.number)
            shared.setdefault(key, []).append(place)
    traffic = Traffic(graph)
    steps = []
    for places in shared.values():
        parts = [plan.launches[place] for place in places]
        names = [name for part in parts for name in part.operations]
        inner = [operations[name] for name in names if name in operations]
        steps.append(_step(parts, tuple(places), inner, plan.buffers, traffic))
    return Fusion(graph.compile_id, plan.direction, number, tuple(steps), plan.buffers, plan, graph)


def _step(
    parts: Sequence[Launch],
    places: tuple[int, ...],
    inner: Sequence[Operation],
    buffers: Mapping[str, Buffer],
    traffic: Traffic,
) -> Step:
    operators = traffic.in_order(name for item in inner for name in _computed(item))
    flops = [node.flops for node in operators if node.flops is not None]
    stored = _stored({name for part in parts for name in part.writes}, inner, buffers)
    called = next((operation.target for operation in inner if operation.target), "")
    bytes_ = total(part.bytes_ for part in parts)
    is_call = all(operation.is_call for operation in inner)
    return Step(
        name=parts[0].kernel or called or (inner[0].name if inner else parts[0].kind),
        kind=parts[0].kind,
        operators=operators,
        launches=places,
        reads=_merged(part.reads for part in parts),
        writes=_merged(part.writes for part in parts),
        bytes_=bytes_,
        bytes_alone=bytes_ if is_call else total(traffic.bytes_of(node) for node in operators),
        flops=sum(flops) if flops else None,
        removed=tuple(node for node in operators if node.name not in stored and not is_view(node)),
    )


def _computed(operation: Operation) -> tuple[str, ...]:
    """A library's call names as its origins what computes its inputs, too."""
    return (operation.origin,) if operation.is_call and operation.origin else operation.origins


def _stored(
    written: set[str], inner: Sequence[Operation], buffers: Mapping[str, Buffer]
) -> set[str]:
    """The nodes whose values are in the buffers; one of several values has no origin of its own."""
    found = {buffers[name].origin for name in written if name in buffers}
    for operation in inner:
        if operation.origins and not written.isdisjoint(operation.writes):
            found.add(operation.origin or operation.origins[-1])
    return found


def _merged(parts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for part in parts:
        for name, size in part.items():
            found[name] = found.get(name, 0) + size
    return found
