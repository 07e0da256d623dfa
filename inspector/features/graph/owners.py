"""Which launch computes each node of the graph.

Inductor hands origins on: a buffer filled with zeros has those of the scatter that it is made for,
and each part of a concatenation those of all of it. A launch can compute a node only out of what it
reads, or computes itself.
"""

from collections.abc import Mapping, Sequence

from inspector.features.graph.traffic import Traffic
from inspector.records.fusion import FusionPlan, Operation
from inspector.run.graph import is_view

_CALL = 4


class Owners:
    """Knows what each launch can compute, and which of several has a node."""

    def __init__(
        self, plan: FusionPlan, operations: Mapping[str, Operation], traffic: Traffic
    ) -> None:
        self._traffic = traffic
        self._written = _written(plan, operations)
        self._possible: list[frozenset[str]] = []
        self._owners: dict[str, int] = {}
        ranks: dict[str, int] = {}
        for place, launch in enumerate(plan.launches):
            inner = [operations[name] for name in launch.operations if name in operations]
            possible = self._computable(inner, launch.reads)
            self._possible.append(possible)
            if launch.kind in {"nop", "output"}:
                continue
            for operation in inner:
                for name in computed_by(operation, traffic):
                    # How well it fits: a library's own, what can be computed there, the rest.
                    fit = 2 * (name in possible) + (operation.origin == name)
                    rank = _CALL if operation.is_call else fit
                    if rank > ranks.get(name, -1):
                        ranks[name], self._owners[name] = rank, place

    def owner(self, name: str) -> int | None:
        """The launch that a node counts for, or None where no launch has it."""
        return self._owners.get(name)

    def value_of(self, place: int, operation: Operation) -> str:
        """The node whose value an operation of a launch gives, or an empty string."""
        if operation.origin in operation.origins:
            return operation.origin
        found = [name for name in operation.origins if name in self._possible[place]]
        return (found or list(operation.origins) or [""])[-1]

    def _computable(self, inner: Sequence[Operation], reads: Mapping[str, int]) -> frozenset[str]:
        """The origins of some operations whose inputs are there."""
        there = {name for buffer in reads for name in self._written.get(buffer, (buffer,))}
        names = {name for operation in inner for name in operation.origins}
        found: set[str] = set()
        for node in self._traffic.in_order(names):
            if all(self._is_there(name, there | found) for name in node.inputs):
                found.add(node.name)
        return frozenset(found)

    def _is_there(self, name: str, there: set[str]) -> bool:
        node = self._traffic.node(name)
        while node is not None and name not in there:
            if not is_view(node) or not node.inputs:
                return self._traffic.is_constant(name) or not node.tensors
            name = node.inputs[0]
            node = self._traffic.node(name)
        return True


def _written(
    plan: FusionPlan, operations: Mapping[str, Operation]
) -> Mapping[str, tuple[str, ...]]:
    """The nodes whose values may be in each buffer."""
    found: dict[str, tuple[str, ...]] = {}
    for launch in plan.launches:
        inner = (operations[name] for name in launch.operations if name in operations)
        for operation in inner:
            found |= dict.fromkeys(operation.writes, operation.origins)
    for name, buffer in plan.buffers.items():
        found[name] = (*found.get(name, ()), buffer.origin or name)
    return found


def computed_by(operation: Operation, traffic: Traffic) -> tuple[str, ...]:
    """A library's call names as its origins what computes its inputs, too."""
    if not operation.is_call:
        return operation.origins
    # What changes its result in place (a collective) leaves its own name there.
    if operation.origin in operation.origins or not operation.origins:
        return (operation.origin,) if operation.origin else ()
    # Without an origin of its own it gives several values; what takes them apart is a view.
    work = [node.name for node in traffic.in_order(operation.origins) if not is_view(node)]
    return tuple(work[-1:]) or operation.origins
