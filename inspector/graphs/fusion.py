"""What Inductor fused: each kernel with its operators, its traffic, and what fusing removed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.events.fusion import Buffer, FusionPlan, Launch, Operation
from inspector.events.graph_nodes import TensorMeta
from inspector.graphs.traffic import Traffic, is_view
from inspector.model.graph import Graph, Node, tensor_bytes

__all__ = ["Fusion", "Step", "make_fusion"]


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One kernel, or one call of a library, with all that it computes.

    Attributes:
        name: The kernel's name, or the function's of a library (``aten.addmm.out``).
        kind: As `inspector.events.fusion.Operation.kind`.
        operators: The nodes of the post-grad graph that it computes, as Inductor has it, in order.
        again: Names of those that stand in earlier steps, too, or that a library computes: a cheap
            one is computed where it is needed, and of a reduction in two parts, or of a call with
            what prepares its inputs, Inductor says that both compute the same.
        launches: Places in the plan of what it is made of: in C++ one kernel has several.
        reads: Bytes that it reads, by buffer.
        writes: Bytes that it writes, by buffer.
        bytes_: Bytes that it reads and writes, as Inductor counts them, or None.
        bytes_alone: Bytes if each of its operators were a kernel of its own, which reads its inputs
            and writes what it gives; views cost nothing, and what stands in an earlier step is
            counted there. None where a size is not known.
        flops: Floating-point operations by torch's formulas (of multiplications, convolutions and
            attention), or None where none of its operators has one.
        removed: Those operators whose value never reaches memory; views are not among them.
    """

    name: str
    kind: str
    operators: tuple[Node, ...]
    again: frozenset[str]
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
    making = _Making(plan, graph)
    shared: dict[object, list[int]] = {}
    for place, launch in enumerate(plan.launches):
        if launch.kind not in {"nop", "output"}:
            key = place if launch.number is None else ("kernel", launch.number)
            shared.setdefault(key, []).append(place)
    steps = tuple(making.step(tuple(places)) for places in shared.values())
    return Fusion(graph.compile_id, plan.direction, number, steps, plan.buffers, plan, graph)


class _Making:
    """Makes the steps, in order."""

    def __init__(self, plan: FusionPlan, graph: Graph) -> None:
        self._plan = plan
        self._operations = {item.name: item for item in _decided(plan)}
        self._values = _values(plan)
        self._traffic = Traffic(graph)
        self._nodes = {node.name: node for node in graph.nodes}
        self._seen: set[str] = set()
        self._called = {
            name
            for operation in self._operations.values()
            if operation.is_call
            for name in _computed(operation, self._traffic)
        }

    def step(self, places: tuple[int, ...]) -> Step:
        parts = [self._plan.launches[place] for place in places]
        names = [name for part in parts for name in part.operations]
        inner = [self._operations[name] for name in names if name in self._operations]
        operators = self._traffic.in_order(
            name for item in inner for name in _computed(item, self._traffic)
        )
        is_call = all(item.is_call for item in inner)
        elsewhere = self._seen if is_call else self._seen | self._called
        new = [node for node in operators if node.name not in elsewhere]
        again = frozenset(node.name for node in operators) & elsewhere
        self._seen |= {node.name for node in new}
        flops = [node.flops for node in new if node.flops is not None]
        stored = self._stored({name for part in parts for name in part.writes}, inner)
        bytes_ = total(part.bytes_ for part in parts)
        alone = total(self._traffic.bytes_of(node) for node in new)
        return Step(
            name=_name(parts[0], inner),
            kind=parts[0].kind,
            operators=operators,
            again=again,
            launches=places,
            reads=_merged(part.reads for part in parts),
            writes=_with_values(_merged(part.writes for part in parts), self._values),
            bytes_=bytes_,
            bytes_alone=bytes_ if is_call else alone,
            flops=sum(flops) if flops else None,
            removed=tuple(node for node in new if node.name not in stored and not is_view(node)),
        )

    def _stored(self, written: set[str], inner: Sequence[Operation]) -> set[str]:
        """The nodes whose values, or one of whose values, are in the buffers."""
        found = {item.origin for name, item in self._plan.buffers.items() if name in written}
        for operation in inner:
            if operation.origins and not written.isdisjoint(operation.writes):
                found.add(operation.origin or operation.origins[-1])
        views = [self._nodes[name] for name in found if name in self._nodes]
        return found | {name for node in views if is_view(node) for name in node.inputs}


def _name(launch: Launch, inner: Sequence[Operation]) -> str:
    called = next((operation.target for operation in inner if operation.target), "")
    return launch.kernel or called or (inner[0].name if inner else launch.kind)


def _decided(plan: FusionPlan) -> Iterator[Operation]:
    """The operations, as what was decided about them: a template may be a library's call by now."""
    launches = {name: launch for launch in plan.launches for name in launch.operations}
    for operation in plan.operations:
        launch = launches.get(operation.name)
        if launch is None or operation.kind != "template" or len(launch.operations) > 1:
            yield operation
        else:
            target = launch.target or operation.target
            yield dataclasses.replace(operation, kind=launch.kind, target=target)


def _values(plan: FusionPlan) -> Mapping[str, Mapping[str, int]]:
    """The single values that a call gives together, by the buffer that stands for all of them."""
    found: dict[str, dict[str, int]] = {}
    for launch in plan.launches:
        if launch.kind == "output":
            sizes = {name: _size(plan.buffers.get(name)) for name in launch.writes}
            for name in launch.reads:
                found.setdefault(name, {}).update(sizes)
    return found


def _size(buffer: Buffer | None) -> int:
    meta = buffer and TensorMeta(buffer.dtype, buffer.shape, buffer.stride, buffer.device)
    return (meta and tensor_bytes(meta)) or 0


def _with_values(
    writes: Mapping[str, int], values: Mapping[str, Mapping[str, int]]
) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for name, size in writes.items():
        found.update(values.get(name, {name: size}))
    return found


def _computed(operation: Operation, traffic: Traffic) -> tuple[str, ...]:
    """A library's call names as its origins what computes its inputs, too."""
    if not operation.is_call:
        return operation.origins
    if operation.origin:
        return (operation.origin,)
    # Without an origin of its own it gives several values; what takes them apart is a view.
    work = [node.name for node in traffic.in_order(operation.origins) if not is_view(node)]
    return tuple(work[-1:]) or operation.origins


def _merged(parts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for part in parts:
        for name, size in part.items():
            found[name] = found.get(name, 0) + size
    return found
