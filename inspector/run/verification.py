"""What happened when settings of torch were tried, each in a process of its own."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

from inspector.records.trial import Comparison
from inspector.shared.edit import Rewrite, Setting

_BUSY = 2
_TWICE = 2
_EAGER = "eager"
_LEAST_CHANCE = 1.1


@dataclasses.dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may help, and can be tried without changing the user's files.

    Attributes:
        settings: Settings of `torch._dynamo.config` by name.
        gb_ids: Ids of the recorded graph breaks that it could remove.
    """

    settings: tuple[Setting, ...] = ()
    gb_ids: tuple[str, ...] = ()
    caution: str = ""
    rewrites: tuple[Rewrite, ...] = ()

    @property
    def is_single(self) -> bool:
        """Whether it is one thing, and not several together."""
        return len(self.settings) + len(self.rewrites) == 1


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """Results of one process of ``--verify``.

    Attributes:
        graphs: Number of graphs compiled in the first calls.
        graph_breaks: Number of graph break records in the first calls.
        warm_call_ns: Median wall time of a warm round (one call with each input), or None.
        compilations: Number of compilations of all functions, in first and later calls.
    """

    graphs: int
    graph_breaks: int
    distinct_graph_breaks: int
    recompiles: int
    compile_time_ns: int
    warm_call_ns: int | None
    least_warm_call_ns: int | None
    outputs: Comparison | None
    compilations: int = 0

    def counts(self) -> tuple[tuple[str, int], ...]:
        """What a change is judged by, over the whole run."""
        return (
            ("graph breaks", self.graph_breaks),
            ("graphs", self.graphs),
            ("recompilations", self.recompiles),
            ("compilations", self.compilations),
        )

    def is_fewer_than(self, before: Measured) -> bool:
        """Whether something of it is less."""
        pairs = zip(self.counts(), before.counts(), strict=True)
        return any(now < was for (_, now), (_, was) in pairs)

    def is_worse_than(self, before: Measured) -> bool:
        """Whether something of it is more.

        Where graph breaks are gone, more may be captured, in more graphs.
        """
        if self.graph_breaks < before.graph_breaks:
            return self.recompiles > before.recompiles and before.graphs > 0
        pairs = zip(self.counts(), before.counts(), strict=True)
        return any(now > was for (_, now), (_, was) in pairs)

    @property
    def was_busy(self) -> bool:
        """Whether the median is no measure of the code: threads that wait for a core take ms."""
        median, least = self.warm_call_ns, self.least_warm_call_ns
        return bool(median and least and median > _BUSY * least)


@dataclasses.dataclass(frozen=True, slots=True)
class Trial:
    """Trial of one candidate setting or code change.

    Attributes:
        removed: Fingerprints of the findings that are gone with it.
        added: Number of findings that occur only with it.
        helps: Whether it reduces some count, increases none, and leaves the outputs equal.
        recompiles: Of each removed finding of a recompilation, how often its function was compiled
            again without it, and how often with it: of several findings of one function, what is
            gone of the one can be what the other has become.
    """

    candidate: Candidate
    measured: Measured | None
    failure: str = ""
    removed: tuple[str, ...] = ()
    added: int = 0
    helps: bool = False
    worsens: bool = False
    recompiles: Mapping[str, tuple[int, int]] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class AdviceTrial:
    """Result of a ``--verify`` trial for one finding that it removes.

    Attributes:
        settings: Settings of `torch._dynamo.config` by name.
        outputs_equal: Whether the outputs stayed equal; None where that is not known.
        recompiles: Numbers of recompilations without and with the changes, where the finding is
            one, or None.
        warm_call_ratio: Median time of a warm call with the changes, divided by that without. It is
            1 if the difference is within noise, and None if unknown or if the backend does not
            lower graphs.
    """

    settings: tuple[Setting, ...]
    outputs_equal: bool | None
    recompiles: tuple[int, int] | None = None
    rewrites: tuple[Rewrite, ...] = ()
    warm_call_ratio: float | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Verification:
    """Results of all trials of ``--verify``.

    Attributes:
        backend: Backend of all trials; none if the file compiles its model itself.
        deterministic: Whether two processes without settings gave equal outputs; None if unknown.
        not_tried: Reason why some or all candidates were not tried, in one sentence, if any were
            not.
    """

    backend: str = ""
    baseline: Measured | None = None
    trials: tuple[Trial, ...] = ()
    deterministic: bool | None = None
    not_tried: str = ""
    rewrites_left: int = 0
    baseline_again: Measured | None = None

    @property
    def ratio_is_known(self) -> bool:
        """Whether the time without anything tried is known well enough to divide by it."""
        return len(self._without()) == _TWICE

    def ratio(self, found: Measured) -> float | None:
        """The time of a warm call divided by that without what was tried.

        It is 1 where they differ no more than equal processes may: by what the two processes
        without anything tried differ, by what calls within one of these processes vary, or by a
        tenth. None where one of the times is not known, or the machine was busy.
        """
        without = self._without()
        time_ns = found.warm_call_ns
        if len(without) < _TWICE or not time_ns or found.was_busy:
            return None
        within = [
            item.warm_call_ns / item.least_warm_call_ns
            for item in (self.baseline, self.baseline_again, found)
            if item and item.warm_call_ns and item.least_warm_call_ns
        ]
        chance = max(_LEAST_CHANCE, without[-1] / without[0], *within)
        if without[0] / chance <= time_ns <= without[-1] * chance:
            return 1.0
        return time_ns / math.sqrt(without[0] * without[-1])

    @property
    def is_lowered(self) -> bool:
        """Whether times tell which way is faster: the eager backend lowers no graph."""
        return self.backend != _EAGER

    def _without(self) -> list[int]:
        """The times without what was tried, in ascending order; empty where one says nothing."""
        found = [item for item in (self.baseline, self.baseline_again) if item is not None]
        times = sorted(item.warm_call_ns for item in found if item.warm_call_ns)
        apart = len(times) > 1 and times[-1] > _BUSY * times[0]
        return [] if apart or any(item.was_busy for item in found) else times
