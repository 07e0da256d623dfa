"""Equal statements together: what the time is spent on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from inspector.model.kernel import NodeLine
from inspector.profiles.work import Work

__all__ = ["Hot", "hot"]


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
        """As `Work.is_possible`, of all."""
        return all(item.is_possible for item in self.all_)

    @property
    def lines(self) -> tuple[NodeLine, ...]:
        """The user's lines of all, each once."""
        found = {(line.file, line.line): line for item in self.all_ for line in item.lines}
        return tuple(found.values())


def hot(work: Iterable[Work]) -> list[Hot]:
    """Equal statements together, those that take longest first."""
    found: dict[tuple[object, ...], list[Work]] = {}
    for item in work:
        launched = tuple((each.launch.name, each.launch.grid) for each in item.launches)
        key = item.name, item.kind, item.bytes_, item.flops, item.operators, launched
        found.setdefault(key, []).append(item)
    return sorted((Hot(tuple(same)) for same in found.values()), key=lambda row: -row.time_ns)
