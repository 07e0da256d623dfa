"""What the operators of a graph became in a later stage."""

import collections
import dataclasses
from collections.abc import Callable, Iterator, Sequence

from inspector.features.graph.operators import computed_inside, shown_operator
from inspector.run.graph import Graph, Node


@dataclasses.dataclass(frozen=True, slots=True)
class DecomposedInto:
    """An operator that another operator was decomposed into."""

    operator: str
    count: int


@dataclasses.dataclass(frozen=True, slots=True)
class Decomposition:
    """Decomposition of the calls of one operator in a later stage.

    Attributes:
        graph: Name of the later graph, which contains the result.
        operator: Name of the operator as in user code, such as ``torch.nn.functional.linear`` or
            ``Tensor.view``.
        count: Number of its calls in the earlier graph, or None without such a graph.
        into: Operators that it was decomposed into, most frequent first.
    """

    graph: str
    operator: str
    count: int | None
    into: tuple[DecomposedInto, ...]

    @property
    def is_kept(self) -> bool:
        """Whether it is still the same operator."""
        return [item.operator for item in self.into] == [self.operator]


def decompositions(captured: Graph, later: Graph) -> tuple[Decomposition, ...]:
    """What the calls in Dynamo's graph became: ``layer_norm`` two ``aten.add.Tensor``, ….

    A node of a later graph is known by the first of its earlier names. What AOTAutograd adds for
    the backward pass mostly has none, and is left out; `aten_decompositions` has it. The operators
    in the graph of a higher-order operator are among the others, if anything there is known.

    Args:
        later: A graph of the same compilation.
    """
    nodes = list(_computed(later))
    first_names = {node.earlier[0] for node in nodes if node.earlier}
    calls: list[Node] = []
    for node in captured.nodes:
        inside = list(computed_inside(node))
        if first_names & {inner.name for inner in inside}:
            calls += inside
        calls += [node] if node.is_compute else []
    named: dict[str, list[Node]] = collections.defaultdict(list)
    for node in calls:
        named[node.name].append(node)

    def operator(node: Node) -> str:
        same = named[node.earlier[0]] if node.earlier else []
        at_line = [call for call in same if call.line == node.line]
        return next(map(shown_operator, at_line or same), "")

    return _grouped(later.name, nodes, operator, collections.Counter(map(shown_operator, calls)))


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
