"""Arrows between boxes, and what is only counted in them."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator, Sequence

from inspector.features.graph.drawing.collapse import Box
from inspector.features.graph.drawing.roles import Roles
from inspector.run.graph import Graph, Node

_INPUTS = frozenset({"placeholder", "get_attr"})
_FEW_INPUTS = 5
_MOST_RESULTS = 5
# What more boxes than these read is named there, but for the first.
_MOST_READERS = 5


@dataclasses.dataclass(frozen=True, slots=True)
class Arrow:
    """From one box to another.

    Attributes:
        nodes: Those whose values go this way.
    """

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
    return _Wiring(boxes, graph, roles, is_collapsed=is_collapsed).wired()


class _Wiring:
    def __init__(
        self, boxes: Sequence[Box], graph: Graph, roles: Roles, *, is_collapsed: bool
    ) -> None:
        self._boxes = boxes
        self._makers = {node.name: node for node in graph.nodes}
        self._roles = roles
        self._place_of = {node.name: n for n, box in enumerate(boxes) for node in box.nodes}
        self._readers = self._find_readers() if is_collapsed else {}
        self._shared: dict[int, dict[str, None]] = collections.defaultdict(dict)
        self._folded: frozenset[str] = frozenset()
        if is_collapsed:
            self._folded = roles.folded or frozenset(self._lonely())

    def _find_readers(self) -> dict[str, set[int]]:
        """Of each node, the other boxes that take its value."""
        readers: dict[str, set[int]] = collections.defaultdict(set)
        for place, box in enumerate(self._boxes):
            for name in (name for node in box.nodes for name in node.inputs):
                if self._place_of.get(name) != place:
                    readers[name].add(place)
        return readers

    def wired(self) -> tuple[list[Box], list[Arrow]]:
        arrows = list(self._arrows())
        results = [arrow for arrow in arrows if self._is_output(arrow.target)]
        gone: set[int] = set()
        returned: dict[int, tuple[Node, ...]] = {}
        if len(results) > _MOST_RESULTS:
            gone = {arrow.target for arrow in results}
            returned = {arrow.source: arrow.nodes for arrow in results}
        kept = [
            n for n, box in enumerate(self._boxes)
            if n not in gone and box.nodes[0].name not in self._folded
        ]  # fmt: skip
        place = {n: new for new, n in enumerate(kept)}
        boxes = [self._filled(n, returned.get(n, ())) for n in kept]
        if len(kept) == len(self._boxes):
            return boxes, arrows
        moved = [
            Arrow(place[arrow.source], place[arrow.target], arrow.nodes)
            for arrow in arrows
            if arrow.target in place
        ]
        return boxes, moved

    def _filled(self, place: int, returned: tuple[Node, ...]) -> Box:
        """The box with all that is only counted in it."""
        box = self._boxes[place]
        folded = tuple(self._counted(place)) if self._folded else ()
        shared = tuple(self._makers[name] for name in self._shared.get(place, ()))
        if not (folded or shared or returned):
            return box
        return dataclasses.replace(box, folded=folded, shared=shared, returned=returned)

    def _is_output(self, place: int) -> bool:
        return self._boxes[place].nodes[0].op == "output"

    def _counted(self, place: int) -> Iterator[Node]:
        if self._is_output(place):
            return
        names = (name for node in self._boxes[place].nodes for name in node.inputs)
        for name in dict.fromkeys(names):
            if name in self._folded and name in self._makers:
                yield self._makers[name]

    def _arrows(self) -> Iterator[Arrow]:
        found: dict[tuple[int, int], dict[str, Node]] = collections.defaultdict(dict)
        for target, box in enumerate(self._boxes):
            for node in box.nodes:
                for name in node.inputs:
                    source = self._place_of.get(name)
                    is_kept = node.op == "output" and name not in (self._roles.returned or {name})
                    if source in {None, target} or name in self._folded or is_kept:
                        continue
                    readers = self._readers.get(name, ())
                    if len(readers) > _MOST_READERS and target != min(readers):
                        self._shared[target][name] = None
                    else:
                        found[source, target][name] = self._makers[name]
        for (source, target), nodes in found.items():
            yield Arrow(source, target, tuple(nodes.values()))

    def _lonely(self) -> Iterator[str]:
        inputs = [box.nodes[0] for box in self._boxes if box.nodes[0].op in _INPUTS]
        for node in inputs if len(inputs) > _FEW_INPUTS else []:
            if len(self._readers.get(node.name, ())) <= 1:
                yield node.name
