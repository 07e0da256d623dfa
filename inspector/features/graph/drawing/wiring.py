"""Arrows between boxes, and what is only counted in them."""

import collections
import dataclasses
from collections.abc import Collection, Mapping, Sequence

from inspector.features.graph.drawing.collapse import Box
from inspector.features.graph.drawing.roles import Roles
from inspector.run.graph import Graph, Node

_FEW_INPUTS = 5
_MOST_RESULTS = 5
# What more boxes than these read is named there, but for the first.
_MOST_READERS = 5


@dataclasses.dataclass(frozen=True, slots=True)
class Arrow:
    """From one box to another, with the nodes whose values go this way."""

    source: int
    target: int
    nodes: tuple[Node, ...]


def wire(
    boxes: Sequence[Box], graph: Graph, roles: Roles, *, is_collapsed: bool
) -> tuple[list[Box], list[Arrow]]:
    """Draws arrows, one between any two boxes.

    Args:
        is_collapsed: Whether boxes stand for several nodes. Then parameters, and what the forward
            pass kept, are counted where they are used; if nobody knows which inputs these are,
            those that one box alone uses.
    """
    makers = {node.name: node for node in graph.nodes}
    place_of = {node.name: n for n, box in enumerate(boxes) for node in box.nodes}
    readers: dict[str, set[int]] = collections.defaultdict(set)
    for place, box in enumerate(boxes if is_collapsed else ()):
        for name in (name for node in box.nodes for name in node.inputs):
            if place_of.get(name) != place:
                readers[name].add(place)
    folded = (roles.folded or _lonely(boxes, readers)) if is_collapsed else frozenset()
    shared: dict[int, dict[str, Node]] = collections.defaultdict(dict)
    found: dict[tuple[int, int], dict[str, Node]] = collections.defaultdict(dict)
    for node in (node for box in boxes for node in box.nodes):
        target = place_of[node.name]
        for name in node.inputs:
            source = place_of.get(name)
            is_kept = node.op == "output" and name not in (roles.returned or {name})
            if source is None or source == target or name in folded or is_kept:
                continue
            is_far = len(readers[name]) > _MOST_READERS and target != min(readers[name])
            (shared[target] if is_far else found[source, target])[name] = makers[name]
    arrows = [Arrow(*ends, tuple(nodes.values())) for ends, nodes in found.items()]
    return _without_folded(boxes, arrows, folded, shared, makers)


def _lonely(boxes: Sequence[Box], readers: Mapping[str, set[int]]) -> frozenset[str]:
    """The inputs that one box alone reads, if there are many."""
    first = [box.nodes[0] for box in boxes]
    inputs = [node.name for node in first if node.op in {"placeholder", "get_attr"}]
    is_few = len(inputs) <= _FEW_INPUTS
    return frozenset(name for name in inputs if not is_few and len(readers.get(name, ())) <= 1)


def _without_folded(
    boxes: Sequence[Box],
    arrows: Sequence[Arrow],
    folded: Collection[str],
    shared: Mapping[int, Mapping[str, Node]],
    makers: Mapping[str, Node],
) -> tuple[list[Box], list[Arrow]]:
    """The boxes with all that is only counted in them, and the arrows between these."""
    outputs = {n for n, box in enumerate(boxes) if box.nodes[0].op == "output"}
    results = [arrow for arrow in arrows if arrow.target in outputs]
    results = results if len(results) > _MOST_RESULTS else []
    gone = {arrow.target for arrow in results}
    returned = {arrow.source: arrow.nodes for arrow in results}
    drawn: list[Box] = []
    places: dict[int, int] = {}
    for n, box in enumerate(boxes):
        if n in gone or box.nodes[0].name in folded:
            continue
        names = dict.fromkeys(name for node in box.nodes for name in node.inputs)
        counted = [makers[name] for name in names if name in folded and name in makers]
        places[n] = len(drawn)
        drawn.append(
            dataclasses.replace(
                box,
                folded=() if n in outputs else tuple(counted),
                shared=tuple(shared.get(n, {}).values()),
                returned=returned.get(n, ()),
            )
        )
    return drawn, [
        Arrow(places[arrow.source], places[arrow.target], arrow.nodes)
        for arrow in arrows
        if arrow.target in places
    ]
