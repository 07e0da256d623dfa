"""Times the guards of a new cache entry, and those of each value that they look at.

Torch's own figure (``profile_guard_manager``) is one evaluation behind a flush of the processor's
caches; it is no figure of a warm call, and it is of the whole tree alone. Here the tree is
evaluated many times with the frame's own values. What one value costs is the difference between
two partial copies of the tree that torch makes (``RootGuardManager.clone_manager``): one with the
guards on the way to the value, and one with those of the value and of all reached from it as well.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from inspector.capture import versions
from inspector.capture.writer import emit
from inspector.records.recompiles import GuardCosts, SubtreeCost
from inspector.trace.guard_text import numbered_alike

# Of this thread's own time: on a busy machine the clock says nothing of the work done.
_SECONDS = 1.0
_MOST_SUBTREES = 150
_ROUNDS = 20
_ROUND_NS = 100_000
# A child with less than this of the whole is not looked into.
_SMALL = 0.05


def write_guard_costs() -> None:
    """Writes ``inspector_guard_costs`` for the tree that torch is logging, where it can be had."""
    found = versions.guards_being_made()
    if found is None:
        return
    root, values = found.root, found.scope[0]
    until = time.thread_time() + _SECONDS
    # A copy does not have all of torch's shortcuts (2.11 skips dicts that kept their tags).
    copy = root.clone_manager(lambda _manager: True)
    rounds = _rounds_ns([root, copy], values, until)
    whole_ns = min(whole for whole, _ in rounds)  # what disturbs only adds
    copy_ns = whole_ns * statistics.median(copied / whole for whole, copied in rounds)
    subtrees = tuple(_subtrees(_Tree(root), values, copy_ns, until))
    emit(GuardCosts(round(whole_ns), subtrees, round(copy_ns)))


class _Tree:
    """The managers of a tree by their sources; several can have the same.

    What is numbered alike (the layers of a list) is one group, spelled ``[*]``: each of 48 layers
    by itself is too small to be timed.
    """

    def __init__(self, root: Any) -> None:
        self.root = root
        self.source = str(root.get_source())
        self.parents: dict[str, str] = {}
        self.members: dict[str, list[str]] = {}
        self.children: dict[str, list[str]] = {}
        waiting = [(root, "")]
        while waiting:
            manager, source = waiting.pop()
            for child in _children(manager):
                name = child.get_source()
                if name and name != source and name not in self.parents:
                    self.parents[name] = source
                    self.children.setdefault(source, []).append(name)
                    self.members.setdefault(numbered_alike(name), []).append(name)
                waiting.append((child, name))

    def group_children(self, group: str) -> list[str]:
        """The groups one below a group."""
        below = (child for source in self._in(group) for child in self.children.get(source, ()))
        return list(dict.fromkeys(numbered_alike(child) for child in below))

    def way_to(self, group: str) -> set[str]:
        """The sources of a group and those above, the root's included."""
        way = {"", self.source, *self._in(group)}
        for member in self._in(group):
            source = member
            while source := self.parents.get(source, ""):
                way.add(source)
        return way

    def below(self, group: str) -> set[str]:
        """A group's sources and all that is reached from them."""
        waiting = list(self._in(group))
        found = set(waiting)
        while waiting:
            children = self.children.get(waiting.pop(), [])
            found.update(children)
            waiting += children
        return found

    def named(self, group: str) -> str:
        """A group of one is that source."""
        members = self._in(group)
        return members[0] if len(members) == 1 else group

    def _in(self, group: str) -> list[str]:
        return self.members.get(group, [group])

    def part(self, kept: AbstractSet[str]) -> Any:
        """A copy of the tree that has these sources alone."""
        return self.root.clone_manager(lambda manager: manager.get_source() in kept)


def _children(manager: Any) -> Iterator[Any]:
    yield from manager.get_child_managers()
    pairs: Callable[[], dict[int, tuple[Any, Any]]] | None = getattr(
        manager, "get_key_value_managers", None
    )
    for pair in (pairs() if pairs else {}).values():
        yield from (item for item in pair if item is not None)


def _subtrees(tree: _Tree, values: object, copy_ns: float, until: float) -> Iterator[SubtreeCost]:
    """The subtrees from the root down, always into the most expensive; siblings all or none.

    What a machine does besides changes from one moment to the next: a subtree and its parts are
    timed in turns, and the parts are told in proportion to what the subtree took before.
    """
    waiting: list[tuple[float, str]] = [(copy_ns, "")]
    count = 0
    while waiting and time.thread_time() < until:
        waiting.sort()
        cost_ns, source = waiting.pop()
        children = tree.group_children(source)
        if not children or cost_ns < _SMALL * copy_ns or count + len(children) > _MOST_SUBTREES:
            continue
        way, own = tree.way_to(source), tree.below(source)
        kept = [way - own, way, way | own, *(way | tree.below(child) for child in children)]
        # What is asked for twice (an only child is all that is below) is one copy, timed once:
        # copies of the same guards differ in time by where they lie in memory.
        chosen = [frozenset(names) for names in kept]
        different = list(dict.fromkeys(chosen))
        rounds = _rounds_ns([tree.part(names) for names in different], values, until)
        shares = []
        for times_ns in rounds:
            # Of what is on the way to the parent, of that with the parent's own guards, of all
            # below the parent with it, and then, for each child, of the way with that child.
            above_ns, base_ns, all_ns, *parts_ns = (
                times_ns[different.index(names)] for names in chosen
            )
            whole_ns = all_ns - above_ns if source else all_ns
            shares.append(
                [(part_ns - base_ns) / whole_ns if whole_ns > 0 else 0.0 for part_ns in parts_ns]
            )
        found = [
            (cost_ns * max(0.0, statistics.median(of_child)), child)
            for of_child, child in zip(zip(*shares, strict=True), children, strict=True)
        ]
        count += len(found)
        waiting += found
        for child_ns, child in found:
            yield SubtreeCost(tree.named(child), tree.named(source), round(child_ns))


def _rounds_ns(roots: Sequence[Any], values: object, until: float) -> list[list[float]]:
    """The mean times of this thread, of each in each of some rounds, in which they take turns."""

    def mean_ns(root: Any, calls: int) -> float:
        began_ns = time.thread_time_ns()
        for _ in range(calls):
            root.check(values)
        return (time.thread_time_ns() - began_ns) / calls

    counts = [max(3, min(200, int(_ROUND_NS / max(mean_ns(root, 3), 1)))) for root in roots]
    rounds: list[list[float]] = []
    while not rounds or (len(rounds) < _ROUNDS and time.thread_time() <= until):
        rounds.append([])
        for root, calls in zip(roots, counts, strict=True):
            root.check(values)  # the processor's caches hold what was timed before
            rounds[-1].append(max(1.0, mean_ns(root, calls)))
    return rounds
