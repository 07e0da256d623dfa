"""What was measured on both sides: times of calls, compile time by stage, what the caches had."""

import dataclasses
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence

from inspector.features.bench.rows import BenchRow
from inspector.features.compile_time.cache_keys import key_changes
from inspector.features.compile_time.cold_start import cold_start
from inspector.features.profile.profiled import Profiled
from inspector.features.profile.rounds import medians_of
from inspector.run.compile_time import CacheUse
from inspector.run.run import Run
from inspector.run.summary import summarize
from inspector.shared.student_t import half_width

_LEAST_SAMPLES = 3
_NOTICEABLE = 0.25
"""Compile time is measured once on each side, and varies by as much on a machine with work."""
_GRAPH_CACHES = frozenset({"FX graph", "AOTAutograd"})


@dataclasses.dataclass(frozen=True, slots=True)
class Times:
    """The time of a call on both sides.

    Attributes:
        name: Name of the measured call, such as ``warm call``.
        ratio: Ratio of B's time to A's with its 95 % confidence interval, as ``[low, ratio,
            high]``. None with too few samples.
    """

    name: str
    before_ns: float
    after_ns: float
    ratio: tuple[float, float, float] | None

    @property
    def differs(self) -> bool:
        """Whether the difference is larger than the interval."""
        return self.ratio is None or self.ratio[0] > 1 or self.ratio[2] < 1


@dataclasses.dataclass(frozen=True, slots=True)
class StageChange:
    """Compile time of a stage, or of all of them, on both sides."""

    stage: str
    before_ns: int
    after_ns: int


@dataclasses.dataclass(frozen=True, slots=True)
class CacheChange:
    """Lookups in one cache.

    Attributes:
        before: Lookup results in A, such as ``2 hits, 1 miss``; empty without lookups.
        parts: Components of the graphs' keys that differ, the most frequent first.
    """

    cache: str
    before: str
    after: str
    parts: tuple[str, ...] = ()


def samples_of(profile: Profiled | None, rows: Sequence[BenchRow]) -> dict[str, tuple[float, ...]]:
    """Independent times of a call in ns, by what is called: medians of rounds, or of sessions."""
    found: dict[str, tuple[float, ...]] = {}
    if profile is not None:
        blocks = tuple(medians_of(profile.profile.timed_blocks, "plain").values())
        found["warm call"] = blocks or (profile.budget.wall_ns,)
    for row in rows:
        parts = ("bench", row.setting.label, row.workload.label, row.varies, row.inputs)
        sessions: dict[int, list[float]] = {}
        for (session, _), time_ns in row.medians.items():
            sessions.setdefault(session, []).append(time_ns)
        means = [statistics.geometric_mean(item) for item in sessions.values()]
        times = means if len(means) >= _LEAST_SAMPLES else list(row.medians.values())
        if times:
            found[" · ".join(filter(None, parts))] = tuple(times)
    return found


def call_times(
    before: Mapping[str, tuple[float, ...]], after: Mapping[str, tuple[float, ...]]
) -> Iterator[Times]:
    """The calls that both sides measured.

    The interval is of two independent samples: Student's t of each, added as squares.
    """
    for name in before:
        if name not in after:
            continue
        logs = [[math.log(time_ns) for time_ns in side[name]] for side in (before, after)]
        old, new = map(statistics.fmean, logs)
        ratio = None
        if min(map(len, logs)) >= _LEAST_SAMPLES:
            reach = math.hypot(*map(half_width, logs))
            low, middle, high = (math.exp(new - old + part) for part in (-reach, 0, reach))
            ratio = low, middle, high
        yield Times(name, math.exp(old), math.exp(new), ratio)


def stage_changes(before: Run, after: Run) -> tuple[StageChange, ...]:
    """The sum and the stages that make it another one; empty if it differs by less than 25%."""
    sides = [summarize(run) for run in (before, after)]
    total = StageChange("all", sides[0].compile_time_ns, sides[1].compile_time_ns)
    most = max(total.before_ns, total.after_ns)
    if not most or abs(total.after_ns - total.before_ns) < _NOTICEABLE * most:
        return ()
    times = [{item.stage: item.time_ns for item in side.compile_time_by_stage} for side in sides]
    rows = (StageChange(name, times[0].get(name, 0), times[1].get(name, 0))
            for name in dict.fromkeys((*times[0], *times[1])))  # fmt: skip
    least = abs(total.after_ns - total.before_ns) / 10
    shown = [row for row in rows if abs(row.after_ns - row.before_ns) >= least]
    return (total, *sorted(shown, key=lambda row: -abs(row.after_ns - row.before_ns)))


def cache_changes(before: Run, after: Run) -> tuple[CacheChange, ...]:
    """Caches that had something else: more hits, or other misses of graphs."""
    sides = [{use.cache: use for use in cold_start(run).caches} for run in (before, after)]
    parts: dict[str, dict[str, int]] = {}
    for key in key_changes(after, before):
        counted = parts.setdefault(key.cache, {})
        for change in key.changes:
            counted[change.what] = counted.get(change.what, 0) + 1
    found = []
    for cache in dict.fromkeys((*sides[0], *sides[1])):
        old, new = (_use(cache, side.get(cache)) for side in sides)
        if old != new:
            named = sorted(parts.get(cache, {}).items(), key=lambda item: -item[1])
            found.append(CacheChange(cache, old, new, tuple(name for name, _ in named)))
    return tuple(found)


def _use(cache: str, use: CacheUse | None) -> str:
    """Misses of kernels are left out: they are as many as there are kernels."""
    if use is None:
        return ""
    misses = use.misses if cache in _GRAPH_CACHES else 0
    counts = ((use.hits or 0, "hit"), (misses, "miss"), (use.bypasses, "bypass"))
    plural = {"hit": "hits", "miss": "misses", "bypass": "bypasses"}
    return ", ".join(f"{n:,} {word if n == 1 else plural[word]}" for n, word in counts if n)
