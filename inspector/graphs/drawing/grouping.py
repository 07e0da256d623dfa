"""Puts nodes into groups so that no group waits for itself: then arrows go down only."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Sequence

from inspector.model.graph import Node


@dataclasses.dataclass(slots=True)
class Group:
    """Nodes that become one box; filled while the graph is gone through.

    Attributes:
        key: What its nodes have in common; a module that is called twice has two groups.
        nodes: In the graph's order.
    """

    key: Hashable
    nodes: list[Node]


def group_nodes(nodes: Sequence[Node], key_of: Callable[[Node], Hashable]) -> list[Group]:
    """Groups nodes by a key, in order.

    A node joins the last group of its key unless something that it needs already needs that group;
    then a new group begins. For each group the groups above it are the bits of a number.

    Args:
        nodes: In an order in which each stands behind its inputs.
    """
    return _Grouping().of(nodes, key_of)


class _Grouping:
    def __init__(self) -> None:
        self._groups: list[Group] = []
        self._above: list[int] = []
        self._below: list[set[int]] = []
        self._group_of: dict[str, int] = {}
        self._last: dict[Hashable, int] = {}

    def of(self, nodes: Iterable[Node], key_of: Callable[[Node], Hashable]) -> list[Group]:
        for node in nodes:
            needed = {self._group_of[name] for name in node.inputs if name in self._group_of}
            key = key_of(node)
            place = self._last.get(key)
            if place is None or any(self._above[n] >> place & 1 for n in needed - {place}):
                place = self._begin(key)
            self._groups[place].nodes.append(node)
            self._group_of[node.name] = place
            self._need(place, needed - {place})
        return self._groups

    def _begin(self, key: Hashable) -> int:
        self._last[key] = len(self._groups)
        self._groups.append(Group(key, []))
        self._above.append(0)
        self._below.append(set())
        return self._last[key]

    def _need(self, place: int, needed: set[int]) -> None:
        above = self._above[place]
        for other in needed:
            above |= self._above[other] | 1 << other
            self._below[other].add(place)
        # What needs this group needs all of that, too; a new group has none.
        waiting = [(place, above)]
        while waiting:
            n, found = waiting.pop()
            if self._above[n] | found != self._above[n]:
                self._above[n] |= found
                waiting += [(other, self._above[n]) for other in self._below[n]]
