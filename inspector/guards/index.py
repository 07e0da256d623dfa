"""The guards of an entry by what they look at: a large model has a hundred thousand of them."""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.events.guard_checks import RelationCheck
from inspector.guards.relation import normal
from inspector.model.guards import Guard


@dataclasses.dataclass(frozen=True, slots=True)
class GuardIndex:
    """Guards by source.

    Attributes:
        by_source: Positions of those that look at one source, by its normal spelling.
        names: The sources, sorted.
        relations: Positions of the relations of sizes.
    """

    guards: Sequence[Guard]
    by_source: Mapping[str, Sequence[int]]
    names: Sequence[str]
    relations: Sequence[int]

    def of(self, source: str) -> Iterator[Guard]:
        """The guards that look at a source, in order."""
        return (self.guards[at] for at in self.by_source.get(source, ()))

    def keys_of(self, root: str) -> Iterator[int]:
        """Positions of the guards that look at the keys of a dict."""
        yield from self._from(f"list(dict.keys({root}))[")

    def inside(self, root: str) -> Iterator[int]:
        """Positions of the guards that look at what is reached from a source."""
        yield from self._from(f"{root}.")
        yield from self._from(f"{root}[")

    def _from(self, begin: str) -> Iterator[int]:
        at = bisect.bisect_left(self.names, begin)
        while at < len(self.names) and self.names[at].startswith(begin):
            yield from self.by_source[self.names[at]]
            at += 1


def index_of(guards: Iterable[Guard]) -> GuardIndex:
    """Sorts guards by source."""
    every = tuple(guards)
    found: dict[str, list[int]] = {}
    relations: list[int] = []
    for at, guard in enumerate(every):
        if isinstance(guard.check, RelationCheck):
            relations.append(at)
        else:
            found.setdefault(normal(guard.source), []).append(at)
    return GuardIndex(every, found, sorted(found), relations)


def is_inside(source: str, roots: Iterable[str]) -> bool:
    """Whether a source is reached from one of some others."""
    return any(source.startswith((f"{root}[", f"{root}.")) for root in roots)
