"""The most expensive parts of a tree of guards."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from inspector.records.recompiles import GuardCosts, SubtreeCost
from inspector.run.cache_entries.entry import Entry
from inspector.run.compilation import Compilation
from inspector.trace.guard_source import spelled
from inspector.trace.guard_text import numbered_alike

# A part with more than this of the whole is told as its own parts, if they are most of it.
_LARGE = 0.15
_MOST_OF_IT = 0.5
_MOST = 8
_PLUMBING = ("._modules", "._parameters", "._buffers", ".__dict__")


@dataclasses.dataclass(frozen=True, slots=True)
class Subtree:
    """The guards of one value and of all that is reached from it.

    Attributes:
        frame: The frame's name as a person sees it.
        source: Torch's spelling of the value.
        time_ns: What they take per evaluation.
        whole_ns: What all guards of the entry take in a copy, as the parts do.
    """

    frame: str
    source: str
    name: str
    guards: int
    time_ns: int
    whole_ns: int

    @property
    def share(self) -> float:
        """Its part of the entry's guards."""
        return min(self.time_ns / self.whole_ns, 1.0) if self.whole_ns else 0.0


def subtrees_of(
    frame: str, compilations: Iterable[Compilation], entry: Entry
) -> tuple[Subtree, ...]:
    """Parts of an entry's tree that do not overlap, the most expensive first; none untimed."""
    costs = next((c.guard_costs for c in compilations if c.compile_id == entry.compile_id), None)
    if costs is None or not costs.subtrees:
        return ()
    counts, found = _counts(entry), []
    for item in _split(costs):
        source = item.source
        for end in _PLUMBING:
            source = source.removesuffix(end)
        name = "globals" if source == "G" else spelled(source).replace("._modules[*]", "[*]")
        whole_ns, guards = costs.copy_ns or costs.whole_ns, counts.get(item.source, 0)
        found.append(Subtree(frame, item.source, name, guards, item.time_ns, whole_ns))
    return tuple(found)


def _split(costs: GuardCosts) -> list[SubtreeCost]:
    """Divides the largest part into its own parts, as long as one is large and they explain it."""
    children: dict[str, list[SubtreeCost]] = {}
    for item in costs.subtrees:
        if item.source != item.parent:  # two managers can have one source, one below the other
            children.setdefault(item.parent, []).append(item)
    done: list[SubtreeCost] = []
    waiting = list(children.get("", ()))
    whole = sum(item.time_ns for item in waiting)
    seen: set[str] = set()
    while waiting:
        item = waiting.pop()
        if item.source in seen:
            continue
        seen.add(item.source)
        below = children.get(item.source, [])
        explained = sum(child.time_ns for child in below)
        if item.time_ns > _LARGE * whole and explained > _MOST_OF_IT * item.time_ns:
            waiting += below
        else:
            done.append(item)
    done.sort(key=lambda item: -item.time_ns)
    return [item for item in done if item.time_ns > 0][:_MOST]


def _counts(entry: Entry) -> dict[str, int]:
    """The guards of each source, or of all that are numbered alike, and of all reached from it."""
    managers = entry.tree.managers
    counts = [0] * len(managers)
    for guard in entry.tree.guards:
        if guard.manager < len(counts):
            counts[guard.manager] += 1
    for manager in reversed(managers):
        if manager.parent >= 0:
            counts[manager.parent] += counts[manager.number]
    found: dict[str, int] = {}
    for manager in managers:  # several managers can have one source, one below the other
        found[manager.source] = max(found.get(manager.source, 0), counts[manager.number])
    alike: dict[str, int] = {}
    for source, number in found.items():
        group = numbered_alike(source)
        alike[group] = alike.get(group, 0) + number
    return alike | found
