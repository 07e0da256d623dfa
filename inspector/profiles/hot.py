"""Equal statements together: what the time is spent on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from inspector.model.kernel import NodeLine, weighed_lines
from inspector.profiles.timed import time_by
from inspector.profiles.work import Work, is_possible


@dataclasses.dataclass(frozen=True, slots=True)
class Hot:
    """Equal statements together.

    Attributes:
        all_: The statements, in order.
    """

    all_: tuple[Work, ...]

    @property
    def first(self) -> Work:
        """One of them."""
        return self.all_[0]

    @property
    def number(self) -> int:
        """How many there are in a call."""
        return len(self.all_)

    @property
    def time_ns(self) -> float:
        """Their time in a call."""
        return sum(item.time_ns for item in self.all_)

    @property
    def median_ns(self) -> float:
        """Their time where nothing disturbs it: what they reach, and could win, is by this one."""
        return sum(item.median_ns for item in self.all_)

    @property
    def each_ns(self) -> float:
        """What one of them takes: as often as there are, it is their time in a call."""
        return self.time_ns / self.number

    @property
    def ends_ns(self) -> tuple[float, float]:
        """What the shortest and the longest of them take."""
        times = [item.time_ns for item in self.all_]
        return min(times), max(times)

    @property
    def share_of_ceiling(self) -> float | None:
        """How much of what limits them they reach, all together; None where it is not known."""
        least = [item.least_ns for item in self.all_]
        if None in least or not self.median_ns:
            return None
        return sum(time_ns or 0.0 for time_ns in least) / self.median_ns

    @property
    def is_possible(self) -> bool:
        """As `Work.is_possible`, of all together and of each: none lends the others its share."""
        each = all(item.is_possible for item in self.all_)
        return each and is_possible(self.share_of_ceiling)

    @property
    def lines(self) -> tuple[NodeLine, ...]:
        """The user's lines of all, each once, that with most of their time first."""
        return weighed_lines(pair for item in self.all_ for pair in _weighed(item))

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that they are in, those with less than half of the most time last."""
        found: dict[str, float] = {}
        for item in self.all_:
            for name in item.modules:
                found[name] = found.get(name, 0.0) + item.time_ns / len(item.modules)
        half = max(found.values(), default=0.0) / 2
        return tuple(sorted(found, key=lambda name: -min(found[name], half)))


def _weighed(work: Work) -> Iterator[tuple[NodeLine, float]]:
    """The lines of a statement, each with its part of the time."""
    parts = time_by(work.launches, lambda part: (part.line.file, part.line.line))
    for line in work.lines:
        yield line, parts.get((line.file, line.line), work.time_ns)


def hot(work: Iterable[Work]) -> list[Hot]:
    """Equal statements together, those that take longest first."""
    found: dict[tuple[object, ...], list[Work]] = {}
    for item in work:
        launched = tuple((each.launch.name, each.launch.grid) for each in item.launches)
        key = item.name, item.kind, item.bytes_, item.flops, item.operators, launched
        found.setdefault(key, []).append(item)
    return sorted((Hot(tuple(same)) for same in found.values()), key=lambda row: -row.time_ns)
