"""Joins what the scheduler did with the graph that it lowered."""

import collections
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.features.graph.bytes_moved import (
    buffer_bytes,
    moved_by,
    with_limits,
    without_removed,
)
from inspector.features.graph.fusion import Fusion, Memory, Step, total
from inspector.features.graph.in_place import writes_a_part
from inspector.features.graph.owners import Owners, computed_by
from inspector.features.graph.size_hints import hinted_buffers, hinted_graph, symbols_of
from inspector.features.graph.traffic import Traffic
from inspector.records.fusion import FusionPlan, Launch, Operation
from inspector.run.graph import Graph, Node, aten_name, is_empty, is_view

_LIBRARIES = frozenset({"extern", "fallback"})


def make_fusion(plan: FusionPlan, graph: Graph, hints: Mapping[str, int] | None = None) -> Fusion:
    """Joins what the scheduler did with the graph that it lowered.

    Args:
        hints: Values of symbolic sizes, at which Inductor counts, too.
    """
    used = {name: (hints or {})[name] for name in symbols_of(graph) if name in (hints or {})}
    buffers = hinted_buffers(plan.buffers, used)
    making = _Making(dataclasses.replace(plan, buffers=buffers), hinted_graph(graph, used))
    shared: dict[object, list[int]] = {}
    for place, launch in enumerate(plan.launches):
        if launch.kind not in {"nop", "output"}:
            key = place if launch.number is None else ("kernel", launch.number)
            shared.setdefault(key, []).append(place)
    steps = tuple(making.step(tuple(places)) for places in shared.values())
    # What calls write that are views of the one thing that they read.
    viewed = {
        name: next(iter(step.reads))
        for step in steps
        if step.is_view and len(step.reads) == 1
        for name in step.writes
    }
    return Fusion(
        compile_id=graph.compile_id,
        direction=plan.direction,
        steps=steps,
        buffers=plan.buffers,
        plan=plan,
        graph=graph,
        memory=Memory(plan, viewed),
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
        self._launches = tuple(map(self._moved, plan.launches))
        moved = dataclasses.replace(plan, launches=self._launches)
        self._owners = Owners(moved, self._operations, self._traffic)

    def _moved(self, launch: Launch) -> Launch:
        launch = without_removed(launch, self._plan.buffers)
        inner = self._inner([launch])
        launch = moved_by(launch, inner, self._is_new)
        if launch.kind not in _LIBRARIES or len(inner) != 1:
            return launch
        node = self._called(inner[0])
        return launch if node is None else self._with_rows(launch, inner[0], node)

    def _called(self, operation: Operation) -> Node | None:
        name = aten_name(operation.target).rstrip("_")
        known = (self._nodes.get(each) for each in (operation.origin, *operation.origins))
        nodes = [node for node in known if node is not None]
        same = [node for node in nodes if aten_name(node.target).rstrip("_") == name]
        # Inductor calls one scatter by the name of another.
        return next(iter([*same, *filter(writes_a_part, nodes)]), None)

    def _with_rows(self, launch: Launch, operation: Operation, node: Node) -> Launch:
        """A call that takes rows of a table, or puts some there, with these instead of the table.

        Inductor counts all of what a library is given.
        """
        taken, put = self._traffic.taken_bytes(node), self._traffic.put_bytes(node)
        if taken is not None:
            table = self._traffic.root(node.inputs[0])
            # What the scheduler calls its buffer: an input has its node's name.
            named = (name for name, item in self._plan.buffers.items() if item.origin == table)
            return with_limits(launch, dict.fromkeys((table, *named), taken), {})
        if put is None or not operation.mutates:
            return launch
        names = (*operation.mutates, *launch.writes)
        read, written = (dict.fromkeys(names, size) for size in put)
        return with_limits(launch, read, written)

    def _is_new(self, name: str) -> bool:
        buffer = self._plan.buffers.get(name)
        node = self._nodes.get(buffer.origin) if buffer is not None else None
        return node is not None and is_empty(node)

    def _inner(self, parts: Iterable[Launch]) -> list[Operation]:
        names = (name for part in parts for name in part.operations)
        return [self._operations[name] for name in names if name in self._operations]

    def step(self, places: tuple[int, ...]) -> Step:
        parts = [self._launches[place] for place in places]
        inner = self._inner(parts)
        operators = self._traffic.in_order(
            name for item in inner for name in computed_by(item, self._traffic)
        )
        is_call = all(item.is_call for item in inner)
        own = [node for node in operators if self._owners.owner(node.name) in places]
        flops = [node.flops for node in own if node.flops is not None]
        stored = self._stored({name for part in parts for name in part.writes}, places)
        is_nothing = is_call and bool(operators) and all(map(is_view, operators))
        # Single values that a call gives together stand for the buffer of all of them.
        written = _merged(part.writes for part in parts)
        singles = (self._values.get(name, {name: size}) for name, size in written.items())
        writes = self._within({name: size for item in singles for name, size in item.items()})
        unread = 0
        if is_call and operators and len(operators[-1].tensors) > 1 and not is_view(operators[-1]):
            # Of a call's several values those that nothing takes are written too.
            unread = max(0, (operators[-1].bytes_ or 0) - sum(writes.values()))
        moved = 0 if is_nothing else total([*(part.bytes_ for part in parts), unread])
        counted = total(self._plan.launches[place].bytes_ for place in places)
        kinds = [part.kind for part in parts]
        called = [item.target for item in inner if item.target]
        names = [parts[0].kernel, *called, *(item.name for item in inner), kinds[0]]
        return Step(
            name=next(filter(None, names), ""),
            kind="reduction" if "reduction" in kinds else kinds[0],
            operators=operators,
            again=frozenset(node.name for node in operators if node not in own),
            launches=places,
            reads=self._within(_merged(part.reads for part in parts)),
            writes=writes,
            bytes_=moved,
            bytes_inductor=0 if is_nothing else counted,
            bytes_eager=moved if is_call else self._in_eager(own),
            bytes_unfused=moved if is_call else total(map(self._traffic.unfused_bytes, own)),
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
            is_called = any(
                all(item.is_call for item in self._inner([self._launches[owner]]))
                for owner in owners
                if owner is not None
            )
            last = [item for item in group if not is_view(item)][-1:]
            if last == [node] and not is_called:
                found[node.name] = self._traffic.bytes_of(node)
        return total(found.values())

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
            for operation in self._inner([self._launches[place]]):
                if operation.origins and not written.isdisjoint(operation.writes):
                    found.add(self._owners.value_of(place, operation))
        views = [self._nodes[name] for name in found if name in self._nodes]
        return found | {name for node in views if is_view(node) for name in node.inputs}

    def _within(self, sizes: Mapping[str, int]) -> Mapping[str, int]:
        """Bytes by buffer, of each at most what it has: loops of one kernel can share a buffer."""
        return {name: min(size, self._limit(name) or size) for name, size in sizes.items()}

    def _limit(self, name: str) -> int:
        """Bytes of a buffer; of a part of a tensor that was changed in place, of the tensor."""
        found, seen = 0, set[str]()
        while name not in seen:
            seen.add(name)
            buffer = self._plan.buffers.get(name)
            found = max(found, buffer_bytes(buffer))
            name = (buffer and buffer.changes) or name
        return found


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
            sizes = {name: buffer_bytes(plan.buffers.get(name)) for name in launch.writes}
            for name in launch.reads:
                found.setdefault(name, {}).update(sizes)
    return found


def _merged(parts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    found: collections.Counter[str] = collections.Counter()
    for part in parts:
        found.update(part)
    return found
