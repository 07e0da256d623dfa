"""Equal statements together, and time by module: what the time is spent on."""

import collections
import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.features.profile.kernel_timing import KernelTiming, is_possible
from inspector.features.profile.launch_timing import time_by
from inspector.report.wording import count, listed
from inspector.run.kernel import NodeLine, weighed_lines

_NUMBER = re.compile(r"(?<![^.])\d+(?![^.])")


@dataclasses.dataclass(frozen=True, slots=True)
class KernelGroup:
    """Equal statements together."""

    all_: tuple[KernelTiming, ...]

    @property
    def first(self) -> KernelTiming:
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
    def share_of_ceiling(self) -> float | None:
        """How much of what limits them they reach, all together; None where it is not known."""
        least = [item.least_ns for item in self.all_]
        if None in least or not self.median_ns:
            return None
        return sum(time_ns or 0.0 for time_ns in least) / self.median_ns

    @property
    def is_possible(self) -> bool:
        """As `KernelTiming.is_possible`, of all together and of each."""
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


def _weighed(work: KernelTiming) -> Iterator[tuple[NodeLine, float]]:
    parts = time_by(work.launches, lambda part: (part.line.file, part.line.line))
    for line in work.lines:
        yield line, parts.get((line.file, line.line), work.time_ns)


def kernel_groups(work: Iterable[KernelTiming]) -> list[KernelGroup]:
    """Equal statements together, those that take longest first."""
    found: dict[tuple[object, ...], list[KernelTiming]] = {}
    for item in work:
        launched = tuple((each.launch.name, each.launch.grid) for each in item.launches)
        key = item.name, item.kind, item.bytes_, item.flops, item.operators, launched
        found.setdefault(key, []).append(item)
    return sorted(
        (KernelGroup(tuple(same)) for same in found.values()), key=lambda row: -row.time_ns
    )


_MOST_KERNELS = 2


def named(row: KernelGroup) -> str:
    """``mm``, ``2 runs of mm``, ``9 runs (addmm, mm)``."""
    names = list(dict.fromkeys(item.name for item in row.all_))
    if len(names) > 1:
        return f"{row.number} runs ({listed(names, _MOST_KERNELS)})"
    return f"{row.number} runs of {names[0]}" if row.number > 1 else names[0]


def where(row: KernelGroup) -> str:
    """Which of the statements of one name: their modules, or else the user's lines."""
    modules = row.modules
    lines = [f"{line.file.rpartition('/')[2]}:{line.line}" for line in row.lines]
    if modules and all(item.modules for item in row.all_):
        at = f" ({lines[0]}{_others(lines, 'line')})" if lines else ""
        return f" in {modules[0]}{_others(modules, 'module')}{at}"
    return f" at {lines[0]}{_others(lines, 'line')}" if lines else ""


def _others(names: Sequence[str], noun: str) -> str:
    return f" and {count(len(names) - 1, f'more {noun}')}" if len(names) > 1 else ""


def in_groups(by_module: Mapping[tuple[str, str], float]) -> Mapping[str, float]:
    """Time by what modules are called together, the most first.

    Modules are alike whose paths differ in numbers alone and that are of one class:
    ``layers.*.attention`` is that of all layers. Where several classes would be called alike, as in
    an ``nn.Sequential``, the class is said as well: ``features.* (Conv2d)``; so it is of parts of
    the model itself: ``* (Linear)``. What no other is like keeps its numbers.

    Args:
        by_module: Nanoseconds by path of a module and its class; without one nothing is alike.
    """
    classes = {path: name for path, name in by_module if name}
    groups: dict[tuple[str, str], dict[str, float]] = {}
    for (path, name), time_ns in by_module.items():
        kind = name or classes.get(path, "")
        key = (_NUMBER.sub("*", path) if kind else path), kind
        times = groups.setdefault(key, {})
        times[path] = times.get(path, 0.0) + time_ns
    names = [(_together(list(times)), kind, times) for (_, kind), times in groups.items()]
    of_several = collections.Counter(name for name, _, _ in names)
    found: dict[str, float] = {}
    for name, kind, times in names:
        is_bare = name == "*" or of_several[name] > 1
        shown = f"{name} ({kind})" if is_bare and kind else name
        found[shown] = found.get(shown, 0.0) + sum(times.values())
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _together(paths: Sequence[str]) -> str:
    """One path for several, with `*` for the numbers in which they differ."""
    parts = zip(*(path.split(".") for path in paths), strict=True)
    return ".".join(same[0] if len(set(same)) == 1 else "*" for same in parts)
