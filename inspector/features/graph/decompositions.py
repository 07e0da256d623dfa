"""What the operators of a graph became in a later stage."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Iterator, Sequence

from inspector.features.graph.operators import (
    OperatorKind,
    computed_inside,
    kind_of,
    shown_operator,
)
from inspector.run.graph import Graph, Node


@dataclasses.dataclass(frozen=True, slots=True)
class DecomposedInto:
    """One operator of what an operator became."""

    operator: str
    count: int


@dataclasses.dataclass(frozen=True, slots=True)
class Decomposition:
    """What the calls of one operator became in a later stage.

    Attributes:
        graph: The name of the graph that has what they became.
        operator: As `shown_operator`.
        count: How many calls of it the earlier graph has, or None where there is no such graph.
        into: What it became, the most frequent first.
        is_inlined: Whether nothing came of it because the later graph has what its graphs compute.
    """

    graph: str
    operator: str
    count: int | None
    into: tuple[DecomposedInto, ...]
    is_inlined: bool = False

    @property
    def is_kept(self) -> bool:
        """Whether it is still the same operator."""
        return [item.operator for item in self.into] == [self.operator]


def decompositions(captured: Graph, later: Graph) -> tuple[Decomposition, ...]:
    """What the calls in Dynamo's graph became: ``layer_norm`` two ``aten.add.Tensor``, ….

    A node of a later graph is told by the first of its earlier names. What AOTAutograd adds for the
    backward pass mostly has none, and is left out; `aten_decompositions` has it. The operators in
    the graph of a higher-order operator are among the others, if anything there can be told.

    Args:
        later: A graph of the same compilation.
    """
    nodes = list(_computed(later))
    first_names = {node.earlier[0] for node in nodes if node.earlier}
    calls = _Calls(captured, first_names)
    found = _grouped(later.name, nodes, calls.operator, calls.counts)
    return tuple(
        dataclasses.replace(item, is_inlined=not item.into and item.operator in calls.inlined)
        for item in found
    )


class _Calls:
    """The calls of Dynamo's graph by name.

    Attributes:
        inlined: Higher-order operators whose graphs have operators that were found later.
    """

    def __init__(self, captured: Graph, later: set[str]) -> None:
        self.inlined: set[str] = set()
        self._named: dict[str, list[Node]] = {}
        # Higher-order operators by the nodes of the graphs that they take.
        owners = {
            name: shown_operator(node)
            for node in captured.nodes
            if kind_of(node) is OperatorKind.HIGHER_ORDER
            for name in node.inputs
        }
        calls: list[Node] = []
        for node in captured.nodes:
            inside = list(computed_inside(node))
            if later & {inner.name for inner in inside}:
                calls += inside
                self.inlined.add(owners.get(node.name, ""))
            calls += [node] if node.is_compute else []
        for node in calls:
            self._named.setdefault(node.name, []).append(node)
        self.counts = collections.Counter(map(shown_operator, calls))

    def operator(self, node: Node) -> str:
        """The operator that a later node comes of, or an empty string."""
        name = node.earlier[0] if node.earlier else ""
        same = self._named.get(name, [])
        at_line = [call for call in same if call.line == node.line]
        call = next(iter(at_line or same), None)
        return shown_operator(call) if call is not None else ""


def aten_decompositions(graph: Graph) -> tuple[Decomposition, ...]:
    """Which operators of ATen a graph's nodes were before decompositions."""
    return _grouped(graph.name, list(_computed(graph)), lambda node: node.aten, None)


def _computed(graph: Graph) -> Iterator[Node]:
    for node in graph.nodes:
        yield from computed_inside(node)
        if node.is_compute:
            yield node


def _grouped(
    graph: str,
    nodes: Sequence[Node],
    operator: Callable[[Node], str],
    calls: collections.Counter[str] | None,
) -> tuple[Decomposition, ...]:
    found: dict[str, collections.Counter[str]] = {
        name: collections.Counter() for name in calls or ()
    }
    for node in nodes:
        if name := operator(node):
            found.setdefault(name, collections.Counter())[shown_operator(node)] += 1
    return tuple(
        Decomposition(
            graph,
            name,
            calls[name] if calls is not None else None,
            tuple(DecomposedInto(*item) for item in into.most_common()),
        )
        for name, into in found.items()
    )
