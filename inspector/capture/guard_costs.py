"""Times the guards of a new cache entry, and those of each value that they look at.

Torch's own figure (``profile_guard_manager``) is one evaluation behind a flush of the processor's
caches; it is no figure of a warm call, and it is of the whole tree alone. Here the tree is
evaluated many times with the frame's own values. What one value costs is the difference between
two partial copies of the tree that torch makes (``RootGuardManager.clone_manager``): one with the
guards on the way to the value, and one with those of the value and of all reached from it as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from inspector.capture import versions
from inspector.capture.writer import write_artifact
from inspector.events.guard_text import numbered_alike

__all__ = ["write_guard_costs"]

# Of this thread's own time: on a busy machine the clock says nothing of the work done.
_SECONDS = 1.0
_MOST_SUBTREES = 150
_ROUNDS = 5
_ROUND_NS = 100_000
# A child with less than this of the whole is not looked into.
_SMALL = 0.05


def write_guard_costs() -> None:
    """Writes ``inspector_guard_costs`` for the tree that torch is logging, where it can be had."""
    found = versions.guards_of_trace()
    if found is None:
        return
    root, values = found
    until = time.thread_time() + _SECONDS
    whole_ns = _time_ns(root, values)
    # A copy does not have all of torch's shortcuts (2.11 skips dicts that kept their tags).
    copy_ns = _time_ns(root.clone_manager(lambda _manager: True), values)
    subtrees = list(_subtrees(_Tree(root), values, copy_ns, until))
    times = {"whole_ns": round(whole_ns), "copy_ns": round(copy_ns)}
    write_artifact("guard_costs", {"v": 1, **times, "subtrees": subtrees})


class _Tree:
    """The managers of a tree by their sources; several can have the same.

    What is numbered alike (the layers of a list) is one group, spelled ``[*]``: each of 48 layers
    by itself is too small to be timed.
    """

    def __init__(self, root: Any) -> None:  # noqa: ANN401 - torch is Any to mypy
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

    def part(self, kept: set[str]) -> Any:  # noqa: ANN401 - torch is Any to mypy
        """A copy of the tree that has these sources alone."""
        return self.root.clone_manager(lambda manager: manager.get_source() in kept)


def _children(manager: Any) -> Iterator[Any]:  # noqa: ANN401 - torch is Any to mypy
    yield from manager.get_child_managers()
    pairs: Callable[[], dict[int, tuple[Any, Any]]] | None = getattr(
        manager, "get_key_value_managers", None
    )
    for pair in (pairs() if pairs else {}).values():
        yield from (item for item in pair if item is not None)


def _subtrees(
    tree: _Tree, values: object, copy_ns: float, until: float
) -> Iterator[dict[str, object]]:
    """The subtrees from the root down, always into the most expensive; siblings all or none."""
    waiting: list[tuple[float, str]] = [(copy_ns, "")]
    count = 0
    while waiting:
        waiting.sort()
        cost_ns, source = waiting.pop()
        children = tree.group_children(source)
        if cost_ns < _SMALL * copy_ns or count + len(children) > _MOST_SUBTREES:
            continue
        way = tree.way_to(source)
        base_ns = _time_ns(tree.part(way), values)
        found = []
        for child in children:
            if time.thread_time() > until:
                return
            part_ns = _time_ns(tree.part(way | tree.below(child)), values)
            found.append((max(part_ns - base_ns, 0.0), child))
        count += len(found)
        waiting += found
        for child_ns, child in found:
            named, parent = tree.named(child), tree.named(source)
            yield {"source": named, "parent": parent, "time_ns": round(child_ns)}


def _time_ns(root: Any, values: object) -> float:  # noqa: ANN401 - torch is Any to mypy
    """The least mean time of this thread over a few rounds: what disturbs only adds."""
    check = root.check
    began_ns = time.thread_time_ns()
    for _ in range(3):
        check(values)
    once_ns = (time.thread_time_ns() - began_ns) / 3
    times = max(3, min(200, int(_ROUND_NS / max(once_ns, 1))))
    best_ns = float("inf")
    for _ in range(_ROUNDS):
        began_ns = time.thread_time_ns()
        for _ in range(times):
            check(values)
        best_ns = min(best_ns, (time.thread_time_ns() - began_ns) / times)
    return best_ns
