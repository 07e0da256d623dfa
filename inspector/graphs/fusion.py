"""What Inductor fused: each kernel with its operators, its traffic, and what fusing removed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.events.fusion import Buffer, FusionPlan, Launch, Operation
from inspector.events.graph_nodes import TensorMeta
from inspector.graphs.hinted import hinted_buffers, hinted_graph, symbols_of
from inspector.graphs.memory import Memory
from inspector.graphs.owners import Owners, computed_by
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
        again: Names of those that count for another step, or that a library computes: a cheap one
            is computed where it is needed, and of a reduction in two parts, of a scatter with what
            it writes into, or of a call with what prepares its inputs, Inductor says that both
            compute the same.
        launches: Places in the plan of what it is made of: in C++ one kernel has several.
        reads: Bytes that it reads, by buffer.
        writes: Bytes that it writes, by buffer.
        bytes_: Bytes that it reads and writes, as Inductor counts them, or None.
        bytes_eager: Bytes of the operators of ATen that end in it if each were a kernel of its own,
            as in eager PyTorch, which reads its inputs and writes what it gives; views cost
            nothing. None where a size is not known.
        bytes_unfused: Bytes if each of its nodes were a kernel of its own: parts of decomposed
            operators write what is between them. None where a size is not known.
        flops: Floating-point operations by torch's formulas (of multiplications, convolutions and
            attention), or None where none of its operators has one.
        removed: Nodes whose value eager PyTorch would write, and which never reaches memory.
    """

    name: str
    kind: str
    operators: tuple[Node, ...]
    again: frozenset[str]
    launches: tuple[int, ...]
    reads: Mapping[str, int]
    writes: Mapping[str, int]
    bytes_: int | None
    bytes_eager: int | None
    bytes_unfused: int | None
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
        memory: Which buffers are the same memory.
        operations: What the scheduler had before fusion, by name.
        hints: The symbolic sizes in it with the values that all bytes are for.
    """

    compile_id: str
    direction: str
    number: int
    steps: tuple[Step, ...]
    buffers: Mapping[str, Buffer]
    plan: FusionPlan
    graph: Graph
    memory: Memory
    operations: Mapping[str, Operation]
    hints: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @property
    def name(self) -> str:
        """How it is called: ``0/0 forward``."""
        part = f"({self.number + 1})" if self.number else ""
        return " ".join(filter(None, [self.graph.process, self.compile_id, self.direction, part]))

    def operations_of(self, step: Step) -> list[Operation]:
        """What became a step."""
        by_name = self.operations
        names = (name for place in step.launches for name in self.plan.launches[place].operations)
        return [by_name[name] for name in names if name in by_name]

    @property
    def bytes_(self) -> int | None:
        """Bytes that all steps read and write, or None."""
        return total(step.bytes_ for step in self.steps)

    @property
    def bytes_eager(self) -> int | None:
        """Bytes of the same operators in eager PyTorch, or None."""
        return total(step.bytes_eager for step in self.steps)

    @property
    def bytes_unfused(self) -> int | None:
        """Bytes if each node were a kernel of its own, or None."""
        return total(step.bytes_unfused for step in self.steps)

    @property
    def removed_bytes(self) -> int | None:
        """Bytes of the tensors between fused operators that never reach memory, or None."""
        return total(node.bytes_ for step in self.steps for node in step.removed)


def total(sizes: Iterable[int | None]) -> int | None:
    """The sum, or None where a part of it is not known."""
    found = list(sizes)
    return None if None in found else sum(size or 0 for size in found)


def make_fusion(
    plan: FusionPlan, graph: Graph, number: int = 0, hints: Mapping[str, int] | None = None
) -> Fusion:
    """Joins what the scheduler did with the graph that it lowered.

    Args:
        plan: What it did.
        graph: The post-grad graph of the same compilation and direction.
        number: How many graphs of both stand before it.
        hints: Values of symbolic sizes, at which Inductor counts, too.
    """
    plan = dataclasses.replace(
        plan, launches=tuple(_without_removed(launch, plan.buffers) for launch in plan.launches)
    )
    used = {name: (hints or {})[name] for name in symbols_of(graph) if name in (hints or {})}
    buffers = hinted_buffers(plan.buffers, used)
    making = _Making(dataclasses.replace(plan, buffers=buffers), hinted_graph(graph, used))
    shared: dict[object, list[int]] = {}
    for place, launch in enumerate(plan.launches):
        if launch.kind not in {"nop", "output"}:
            key = place if launch.number is None else ("kernel", launch.number)
            shared.setdefault(key, []).append(place)
    steps = tuple(making.step(tuple(places)) for places in shared.values())
    return Fusion(
        compile_id=graph.compile_id,
        direction=plan.direction,
        number=number,
        steps=steps,
        buffers=plan.buffers,
        plan=plan,
        graph=graph,
        memory=Memory(plan, _viewed(steps)),
        operations={item.name: item for item in plan.operations},
        hints=used,
    )


class _Making:
    """Makes the steps, in order."""

    def __init__(self, plan: FusionPlan, graph: Graph) -> None:
        self._plan = plan
        self._operations = {item.name: item for item in _decided(plan)}
        self._values = _values(plan)
        self._traffic = Traffic(graph)
        self._nodes = {node.name: node for node in graph.nodes}
        self._owners = Owners(plan, self._operations, self._traffic)

    def step(self, places: tuple[int, ...]) -> Step:
        parts = [self._plan.launches[place] for place in places]
        names = [name for part in parts for name in part.operations]
        inner = [self._operations[name] for name in names if name in self._operations]
        operators = self._traffic.in_order(
            name for item in inner for name in computed_by(item, self._traffic)
        )
        is_call = all(item.is_call for item in inner)
        own = [node for node in operators if self._owners.owner(node.name) in places]
        flops = [node.flops for node in own if node.flops is not None]
        stored = self._stored({name for part in parts for name in part.writes}, places)
        is_nothing = is_call and bool(operators) and all(map(is_view, operators))
        bytes_ = 0 if is_nothing else total(part.bytes_ for part in parts)
        return Step(
            name=_name(parts[0], inner),
            kind=_kind(parts),
            operators=operators,
            again=frozenset(node.name for node in operators if node not in own),
            launches=places,
            reads=self._within(_merged(part.reads for part in parts)),
            writes=self._within(_with_values(_merged(part.writes for part in parts), self._values)),
            bytes_=bytes_,
            bytes_eager=bytes_ if is_call else self._in_eager(own),
            bytes_unfused=bytes_ if is_call else total(map(self._traffic.bytes_alone, own)),
            flops=sum(flops) if flops else None,
            removed=() if is_call else tuple(self._removed(own, stored)),
        )

    def _in_eager(self, own: Sequence[Node]) -> int | None:
        """What eager PyTorch would read and write for operators that end in this step."""
        found: dict[str, int | None] = {}
        for node in own:
            group = self._traffic.operator(node)
            owners = {self._owners.owner(item.name) for item in group if not is_view(item)}
            # A library's call counts what it reads and writes; the rest of the operator (the bias
            # of a multiplication) would be in that call.
            is_called = any(owner is not None and self._is_call(owner) for owner in owners)
            last = [item for item in group if not is_view(item)][-1:]
            if last == [node] and not is_called:
                found[node.name] = self._traffic.bytes_of(node)
        return total(found.values())

    def _is_call(self, place: int) -> bool:
        names = self._plan.launches[place].operations
        return any(self._operations[name].is_call for name in names if name in self._operations)

    def _removed(self, own: Sequence[Node], stored: set[str]) -> Iterator[Node]:
        """What eager PyTorch would write, and no kernel does; single numbers are not counted."""
        for node in own:
            if node.name in stored or is_view(node) or not node.inputs:
                continue
            if any(item is node for item in self._traffic.results(node)):
                yield node

    def _stored(self, written: set[str], places: Sequence[int]) -> set[str]:
        """The nodes whose values, or one of whose values, are in the buffers."""
        found = {item.origin for name, item in self._plan.buffers.items() if name in written}
        for place in places:
            for name in self._plan.launches[place].operations:
                operation = self._operations.get(name)
                if operation and operation.origins and not written.isdisjoint(operation.writes):
                    found.add(self._owners.value_of(place, operation))
        views = [self._nodes[name] for name in found if name in self._nodes]
        return found | {name for node in views if is_view(node) for name in node.inputs}

    def _within(self, sizes: Mapping[str, int]) -> Mapping[str, int]:
        """Bytes by buffer, of each at most what it has: loops of one kernel can share a buffer."""
        limits = {name: _size(self._plan.buffers.get(name)) for name in sizes}
        return {name: min(size, limits[name] or size) for name, size in sizes.items()}


def _viewed(steps: Iterable[Step]) -> Mapping[str, str]:
    """What calls write that are views of the one thing that they read."""
    found: dict[str, str] = {}
    for step in steps:
        if step.is_call and step.operators and all(map(is_view, step.operators)):
            found |= {name: next(iter(step.reads)) for name in step.writes if len(step.reads) == 1}
    return found


def _kind(parts: Sequence[Launch]) -> str:
    kinds = [part.kind for part in parts]
    return "reduction" if "reduction" in kinds and len(kinds) > 1 else kinds[0]


def _name(launch: Launch, inner: Sequence[Operation]) -> str:
    called = next((operation.target for operation in inner if operation.target), "")
    return launch.kernel or called or (inner[0].name if inner else launch.kind)


def _without_removed(launch: Launch, buffers: Mapping[str, Buffer]) -> Launch:
    """A launch without writes that never happen.

    Inductor removes a buffer that only its own kernel reads, and counts it all the same where that
    kernel is one for several tensors (``ForeachKernelSchedulerNode``, 2.11 to 2.13).
    """
    removed = {
        name: size
        for name, size in launch.writes.items()
        if name in buffers and buffers[name].is_removed
    }
    if not any(removed.values()):
        return launch
    writes = {name: size for name, size in launch.writes.items() if name not in removed}
    bytes_ = None if launch.bytes_ is None else launch.bytes_ - sum(removed.values())
    return dataclasses.replace(launch, writes=writes, bytes_=bytes_)


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


def _merged(parts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for part in parts:
        for name, size in part.items():
            found[name] = found.get(name, 0) + size
    return found
