"""What autotuning tried: what won, by how much, what it cost, and what a call has of it."""

import dataclasses
from collections.abc import Sequence

from inspector.features.profile.kernel_timing import KernelTiming
from inspector.records.autotuning import Autotuned, TriedCandidate
from inspector.run.kernel import NodeLine
from inspector.run.run import Process
from inspector.trace.caches import CacheState

NOISE = 0.05
"""Of a benchmark's median: what is closer than that can be the other way round the next time.

Inductor times a candidate for some 40 ms, once, with its neighbours at other clocks
(torch/_inductor/runtime/benchmarking.py, 2.11 and 2.13)."""
_STAGE = "autotuning"
_COMPARABLE = 3.0


@dataclasses.dataclass(frozen=True, slots=True)
class Tuned:
    """Places with the same autotuning candidates.

    Attributes:
        first: The place at which they were tried, or the first one.
        spent_ns: Total cost of autotuning.
        lines: The user's lines that it computes.
        launches: Number of runs per call, or 0 if unknown.
        in_place_ns: Time per call of the chosen candidate in the model, including everything fused
            into it.
    """

    first: Autotuned
    places: int = 1
    spent_ns: int = 0
    lines: tuple[NodeLine, ...] = ()
    launches: int = 0
    in_place_ns: float = 0.0

    @property
    def winner(self) -> TriedCandidate | None:
        """What was taken."""
        return self._at(self.first.chosen)

    @property
    def usual(self) -> TriedCandidate | None:
        """What is taken where nothing is tried."""
        return self._at(self.first.default)

    @property
    def ranked(self) -> tuple[TriedCandidate, ...]:
        """Those that have a time, the fastest first."""
        timed = [item for item in self.first.candidates if item.time_ns]
        return tuple(sorted(timed, key=lambda item: item.time_ns or 0))

    @property
    def failed(self) -> tuple[TriedCandidate, ...]:
        """Those that failed."""
        return tuple(item for item in self.first.candidates if item.failed)

    @property
    def total(self) -> int:
        """Number of candidates."""
        return len(self.first.candidates)

    @property
    def next(self) -> TriedCandidate | None:
        """The fastest of those that were not taken."""
        winner = self.winner
        return next((item for item in self.ranked if item is not winner), None)

    @property
    def margin(self) -> float | None:
        """Extra time of the runner-up, as a share of the winner's time.

        Negative where the winner was decided together with what is fused into it, and is not the
        fastest alone; None where there are no two times.
        """
        return _longer(self.next, self.winner)

    @property
    def gain(self) -> float | None:
        """Extra time of the default, as a share of the winner's time, or None."""
        return _longer(self.usual, self.winner) if self.usual is not None else None

    @property
    def saved_ns(self) -> float | None:
        """What a call takes less: an estimate, or None where nothing is known of it.

        Benchmarks say by how much one is faster than another, rarely what it takes in place, where
        caches hold other things: their ratio counts, of the time in place. Where the two times are
        far apart, the benchmark was about something else.
        """
        winner = self.winner
        if self.gain is None or winner is None or not winner.time_ns or not self.launches:
            return None
        ratio = self.in_place_ns / self.launches / winner.time_ns
        is_comparable = 1 / _COMPARABLE <= ratio <= _COMPARABLE
        return max(0.0, self.gain) * self.in_place_ns if is_comparable else None

    def _at(self, place: int | None) -> TriedCandidate | None:
        every = self.first.candidates
        return every[place] if place is not None and place < len(every) else None


@dataclasses.dataclass(frozen=True, slots=True)
class Autotuning:
    """All autotuning of a run.

    Attributes:
        tuned: Autotuned operations and kernels, most expensive first.
        compile_time_ns: The compile time, with autotuning.
        spent_ns: Part of the compile time spent on autotuning, according to torch's own spans.
        outside_ns: Time that Triton spent on autotuning user-defined kernels, not included in the
            compile time.
        cached: Kernels whose configuration was in the autotune cache.
    """

    tuned: tuple[Tuned, ...]
    compile_time_ns: int
    spent_ns: int
    outside_ns: int = 0
    cached: int = 0

    @property
    def saved_ns(self) -> float | None:
        """Estimated time saved per call, or None if unknown."""
        known = [item.saved_ns for item in self.tuned if item.saved_ns is not None]
        return sum(known) if known else None


def make_autotuning(
    processes: Sequence[Process], work: Sequence[KernelTiming]
) -> Autotuning | None:
    """What was tuned in a run; None where nothing was recorded about it."""
    places = [place for process in processes for place in process.records(Autotuned)]
    if not places:
        return None
    # A profile's first call is made without the compiler: it tunes the kernels of graphs, too.
    in_graphs = {
        place.name.rpartition("_")[0]
        for place in places
        if place.kind == "user" and not place.is_outside
    }
    places = [place for place in places if not (place.is_outside and place.name in in_graphs)]
    cached = {
        (process, item.compile_id, item.what)
        for process, each in enumerate(processes)
        for item in each.lookups
        if item.cache == "autotune" and item.state is CacheState.HIT
    }
    # Operations with the same sizes have the same candidates: torch times them once.
    groups: dict[object, list[Autotuned]] = {}
    for number, place in enumerate(places):
        same = (place.name, place.inputs, place.output)
        groups.setdefault(same if place.kind == "template" else number, []).append(place)
    found = (_tuned(group, work) for group in groups.values())
    tuned = sorted(found, key=lambda item: -item.spent_ns)
    staged_ns = sum(
        stage.time_ns for process in processes for stage in process.stages if stage.stage == _STAGE
    )
    within_ns = sum(item.spent_ns for item in tuned if not item.first.is_outside)
    return Autotuning(
        tuned=tuple(tuned),
        compile_time_ns=sum(process.compile_time_ns for process in processes),
        spent_ns=staged_ns or within_ns,
        outside_ns=sum(item.spent_ns for item in tuned if item.first.is_outside),
        cached=len(cached),
    )


def _tuned(group: Sequence[Autotuned], work: Sequence[KernelTiming]) -> Tuned:
    runs = [item for place in group for item in work if _is_of(place, item)]
    lines = dict.fromkeys(line for item in runs for line in item.lines)
    return Tuned(
        first=next((place for place in group if place.how == "measured"), group[0]),
        places=len(group),
        spent_ns=sum(place.benchmark_ns + place.compile_ns for place in group),
        lines=tuple(lines),
        launches=len(runs),
        in_place_ns=sum(item.time_ns for item in runs),
    )


def _is_of(place: Autotuned, work: KernelTiming) -> bool:
    launch = work.longest_launch
    if place.is_outside:
        return launch.code is None and work.name == place.name
    if launch.code is None or launch.code.compile_id != place.compile_id:
        return False
    if (launch.code.direction == "backward") != place.is_backward:
        return False
    if place.kind == "template":
        step = launch.step
        own = [node.name for node in step.operators if node.name not in step.again] if step else []
        return place.node in own
    return launch.call is not None and launch.call.name == place.name


def _longer(other: TriedCandidate | None, winner: TriedCandidate | None) -> float | None:
    if other is None or winner is None or not other.time_ns or not winner.time_ns:
        return None
    return other.time_ns / winner.time_ns - 1
