"""The most expensive parts of a tree of guards."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from inspector.events.guards import InspectorGuardCosts, SubtreeCost
from inspector.guards.entry import Entry
from inspector.model.compilation import Compilation
from inspector.model.guard_source import spelled

__all__ = ["Subtree", "subtrees_of"]

# A part of which one child has so much is told as that child.
_MOST_OF_IT = 0.5
_MOST = 8
_PLUMBING = ("._modules", "._parameters", "._buffers", ".__dict__")


@dataclasses.dataclass(frozen=True, slots=True)
class Subtree:
    """The guards of one value and of all that is reached from it.

    Attributes:
        frame: The frame's name as a person sees it.
        source: Torch's spelling of the value.
        name: The user's spelling.
        guards: How many guards there are.
        time_ns: What they take per evaluation, or None where that was not timed.
        whole_ns: What all guards of the entry take in a copy, as the parts do; or None.
    """

    frame: str
    source: str
    name: str
    guards: int
    time_ns: int | None
    whole_ns: int | None

    @property
    def share(self) -> float | None:
        """Its part of the entry's guards, or None."""
        if self.time_ns is None or not self.whole_ns:
            return None
        return min(self.time_ns / self.whole_ns, 1.0)


def subtrees_of(
    frame: str, compilations: Iterable[Compilation], entry: Entry
) -> tuple[Subtree, ...]:
    """Parts of an entry's tree that do not overlap, the most expensive first.

    Timed where the process did so; else by the number of guards alone.
    """
    costs = next((c.guard_costs for c in compilations if c.compile_id == entry.compile_id), None)
    counts = _counts(entry)
    if costs is not None and costs.subtrees:
        return tuple(
            Subtree(
                frame, item.source, _name(item.source), counts.get(item.source, 0),
                item.time_ns, costs.copy_ns or costs.whole_ns,
            )
            for item in _split(costs)
        )  # fmt: skip
    found = _split(InspectorGuardCosts(0, tuple(_counted(entry, counts))))
    return tuple(
        Subtree(frame, item.source, _name(item.source), item.time_ns, None, None) for item in found
    )


def _split(costs: InspectorGuardCosts) -> list[SubtreeCost]:
    """Goes down from the root as long as one child has most of its parent."""
    children: dict[str, list[SubtreeCost]] = {}
    for item in costs.subtrees:
        if item.source != item.parent:  # two managers can have one source, one below the other
            children.setdefault(item.parent, []).append(item)
    done: list[SubtreeCost] = []
    waiting = list(children.get("", ()))
    seen: set[str] = set()
    while waiting:
        item = waiting.pop()
        if item.source in seen:
            continue
        seen.add(item.source)
        below = children.get(item.source, [])
        largest = max((child.time_ns for child in below), default=0)
        if below and largest > _MOST_OF_IT * item.time_ns:
            waiting += below
        else:
            done.append(item)
    done.sort(key=lambda item: -item.time_ns)
    return [item for item in done if item.time_ns > 0][:_MOST]


def _counts(entry: Entry) -> dict[str, int]:
    """The guards of each source and of all that is reached from it."""
    managers = entry.tree.managers
    counts = [0] * len(managers)
    for guard in entry.tree.guards:
        if guard.manager < len(counts):
            counts[guard.manager] += 1
    for manager in reversed(managers):
        if manager.parent >= 0:
            counts[manager.parent] += counts[manager.number]
    found: dict[str, int] = {}
    for manager in managers:
        found[manager.source] = max(found.get(manager.source, 0), counts[manager.number])
    return found


def _counted(entry: Entry, counts: dict[str, int]) -> Sequence[SubtreeCost]:
    """The same tree with the number of guards in the place of a time."""
    managers = entry.tree.managers
    return [
        SubtreeCost(manager.source, managers[manager.parent].source, counts.get(manager.source, 0))
        for manager in managers
        if manager.parent >= 0
    ]


def _name(source: str) -> str:
    """The user's spelling; the globals of a frame are a part of their own."""
    for end in _PLUMBING:
        source = source.removesuffix(end)
    return "globals" if source == "G" else spelled(source)
