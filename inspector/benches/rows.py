"""What was measured of each combination, next to eager PyTorch on the same workload."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence

from inspector.benches.blocks import medians_of, timed_blocks
from inspector.benches.compiled import Compiled, make_compiled
from inspector.benches.ratio import Ratio, ratio_of
from inspector.benches.sessions import middle_of
from inspector.events.bench import Divergence, InspectorBench, OutputError
from inspector.model.bench import BenchPlan, Setting, Workload
from inspector.model.result_names import AGAIN, input_of, names_input
from inspector.model.run import Process, Run

__all__ = [
    "BEHIND_ANOTHER", "INTERRUPTED", "NOT_TRIED", "BenchRow", "Compiled", "Latency", "make_rows",
]  # fmt: skip

INTERRUPTED = "it was interrupted before it was measured"
NOT_TRIED = "not tried, because eager PyTorch fails"
BEHIND_ANOTHER = "not tried, because its process ended with an input before"
"""Why something is missing that might have worked."""


@dataclasses.dataclass(frozen=True, slots=True)
class Latency:
    """The time of a call, in ns.

    Attributes:
        middle_ns: Median over the sessions of the mean over rounds of the medians of blocks, these
            of logarithms.
        p5_ns: Of 20 calls one is shorter.
        p95_ns: Of 20 calls one is longer.
        calls: How many there were.
        device_ns: The same as ``middle_ns`` between events on the device, or None.
    """

    middle_ns: float
    p5_ns: float
    p95_ns: float
    calls: int
    device_ns: float | None


@dataclasses.dataclass(frozen=True, slots=True)
class BenchRow:
    """A combination with one input.

    Attributes:
        combination: Its number in the plan.
        workload: What is computed.
        setting: How it is compiled.
        input: Number of the input, from 0.
        inputs: Shapes of the inputs, as text.
        items: Size of the first dimension of the inputs, or 0.
        latency: The time of a call, or None where none was measured.
        items_per_s: Items per second, or None; on a GPU of calls that follow one another without
            waiting.
        faster: Eager time by this time, or None: of eager PyTorch itself, and where one is missing.
        load_ns: From a process's begin until the model was there, or None (a median).
        first_ns: The first call, caches empty, or None.
        second_ns: The call after it, or None.
        warm_up_calls: Calls until times were stable, or given up for.
        cached_first_ns: The first call with the caches filled (a median), or None.
        break_even_calls: After so many calls the first one has paid for itself; None where it is
            not faster by more than noise, where its results are wrong, or nothing is compiled.
        memory: Bytes by name, see `inspector.events.bench`.
        busy: The part of a call in which a GPU works, or None: its time by the profiler, by that of
            a call that nobody watched.
        launches: How many pieces of work a GPU gets in a call: kernels, copies.
        errors: How far results are from those of others.
        worst: The largest error by reference, of results that are not rounding alone.
        wrong: Results that are off by more than rounding, or of another kind, by their names.
        divergence: The first operator at which results diverge from eager ones, or None.
        draws: Whether a call draws random numbers, which compiled code may draw otherwise.
        compiled: What was compiled, or None.
        is_settled: Whether times were stable before they were measured.
        medians: The median of each block in ns, by session and round.
        varies: What is varied in the input: ``n=2``, or an empty string.
        bursts: On a GPU, what a call takes of those that follow one another without waiting, in ns,
            likewise.
        failure: Why something is missing, or an empty string.
        detail: The user's own traceback, or an empty string.
        uncompared: Results of a kind that nobody can compare.
    """

    combination: int
    workload: Workload
    setting: Setting
    input: int
    inputs: str
    items: int
    latency: Latency | None
    items_per_s: float | None
    faster: Ratio | None
    load_ns: int | None
    first_ns: int | None
    second_ns: int | None
    warm_up_calls: int
    cached_first_ns: int | None
    break_even_calls: int | None
    memory: Mapping[str, int]
    busy: float | None
    launches: int
    errors: tuple[OutputError, ...]
    worst: Mapping[str, float]
    wrong: tuple[str, ...]
    divergence: Divergence | None
    draws: bool
    compiled: Compiled | None
    is_settled: bool
    medians: Mapping[tuple[int, int], float]
    failure: str
    detail: str
    uncompared: tuple[str, ...] = ()
    varies: str = ""
    bursts: Mapping[tuple[int, int], float] = dataclasses.field(default_factory=dict)

    @property
    def is_wrong(self) -> bool:
        """Whether any result is wrong."""
        return bool(self.wrong)

    @property
    def fails_later(self) -> bool:
        """Whether it failed behind what was timed of it, in a later block or session."""
        return self.latency is not None and self.failure not in {"", INTERRUPTED}

    @property
    def is_right(self) -> bool:
        """Whether it ran as long as it was asked to, with right results."""
        return self.latency is not None and not (self.is_wrong or self.fails_later)


def make_rows(plan: BenchPlan, run: Run) -> tuple[BenchRow, ...]:
    """A row for each combination and input, in the order of the plan; failures are rows too."""
    events: dict[int, list[InspectorBench]] = {}
    processes: dict[int, dict[int, Process]] = {}
    for process in run.processes:
        for event in process.benches:
            events.setdefault(event.combination, []).append(event)
            processes.setdefault(event.combination, {})[event.session] = process
    rows: list[BenchRow] = []
    for workload in plan.workloads:
        left_out = {end.combination for end in plan.ends if end.is_left_out}
        numbers = [number for number in plan.numbers(workload) if number not in left_out]
        eager = next((n for n in numbers if plan.combinations[n].setting.is_eager), None)
        for number in numbers:
            found = events.get(number, [])
            compiled = make_compiled(run, plan, processes.get(number, {}))
            theirs = events.get(eager, []) if eager is not None else []
            rows += [
                _row(plan, number, index, (found, theirs), compiled)
                for index in _inputs(plan, (*found, *theirs))
            ]
    if run.meta.ended == "interrupted":
        rows = [row if row.latency or row.failure else _interrupted(row) for row in rows]
    return tuple(sorted(rows, key=lambda row: (row.combination, row.input)))


def _inputs(plan: BenchPlan, events: Iterable[InspectorBench]) -> Sequence[int]:
    """The numbers of the inputs: those that were asked for, and all that came up."""
    return sorted({event.input for event in events}.union(range(len(plan.variations) or 1)))


def _interrupted(row: BenchRow) -> BenchRow:
    return dataclasses.replace(row, failure=INTERRUPTED)


def _row(
    plan: BenchPlan,
    number: int,
    index: int,
    events: tuple[Sequence[InspectorBench], Sequence[InspectorBench]],
    compiled: Compiled | None,
) -> BenchRow:
    combination = plan.combinations[number]
    mine, theirs = ([event for event in each if event.input == index] for each in events)
    firsts = {event.session: event for event in mine if event.what == "first"}
    is_eager = combination.setting.is_eager
    if is_eager:  # beside what had no room it was measured under other conditions
        mine = [event for event in mine if event.session < plan.sessions] or mine
    first = min(firsts.values(), key=lambda event: event.session, default=None)
    # In later sessions caches are full.
    cold = first if first and plan.is_first(first.session) else None
    latency = _latency(mine)
    times, eager_times = (medians_of(timed_blocks(each)) for each in (mine, theirs))
    faster = None if is_eager else ratio_of(eager_times, times)
    wrong = tuple(name for event in events[0] for name in event.wrong if _names(name, index))
    # Of a gain that may be noise nothing can be said.
    pays = faster is not None and faster.low > 1 and not wrong
    errors = tuple(e for event in events[0] for e in event.errors if _is_of(e, index))
    failure, detail = _failure(plan, number, index, events[0])
    cached = [event.first_ns for event in firsts.values() if event is not cold]
    return BenchRow(
        combination=number,
        workload=combination.workload,
        setting=combination.setting,
        input=index,
        inputs=next((event.inputs for event in (*mine, *theirs) if event.inputs), ""),
        items=first.items if first else 0,
        latency=latency,
        items_per_s=_items_per_s(_bursts(mine), first.items if first else 0, latency),
        varies=_varies(plan, index),
        bursts=_bursts(mine),
        faster=faster,
        load_ns=_median(event.load_ns for event in firsts.values()),
        first_ns=cold.first_ns if cold else None,
        second_ns=cold.second_ns if cold else None,
        warm_up_calls=max((e.settle_calls for e in mine if e.what == "settled"), default=0),
        cached_first_ns=_median(cached),
        break_even_calls=_break_even(cold, times, theirs, latency) if pays else None,
        memory=next((event.memory for event in mine if event.what == "memory"), {}),
        busy=_busy(mine, latency),
        launches=next((event.launches for event in mine if event.what == "busy"), 0),
        errors=errors,
        worst=_worst(errors),
        wrong=wrong,
        uncompared=_once((name for event in events[0] for name in event.uncompared), index),
        divergence=next((event.divergence for event in mine if event.divergence), None),
        draws=bool(first and first.draws),
        compiled=None if is_eager else compiled,
        is_settled=all(event.is_settled for event in mine if event.what == "settled"),
        medians=times,
        failure=failure,
        detail=detail,
    )


def _varies(plan: BenchPlan, index: int) -> str:
    of = plan.variations[index] if index < len(plan.variations) else ()
    return ", ".join(map(str, of))


def _failure(
    plan: BenchPlan, number: int, index: int, events: Sequence[InspectorBench]
) -> tuple[str, str]:
    """Why a combination was not measured with an input, or not whole, and the user's traceback."""
    own = next((e for e in events if e.what == "failed" and e.input == index), None)
    if own is not None:
        return own.failure, own.detail
    end = next((end for end in plan.ends if end.combination == number and end.failure), None)
    if end is None:
        return "", ""
    begun = {event.input for event in events if event.what in {"first", "failed"}}
    # Inputs are called one after the other: it failed with the first that is missing.
    is_behind = bool(begun) and index not in begun and index > max(begun) + 1
    return (BEHIND_ANOTHER, "") if is_behind else (end.failure, end.detail)


def _median(times_ns: Iterable[int]) -> int | None:
    known = [time_ns for time_ns in times_ns if time_ns]
    return round(statistics.median(known)) if known else None


def _once(names: Iterable[str], index: int) -> tuple[str, ...]:
    """Those of an input, without what is there again because it was called again."""
    return tuple(name for name in names if _names(name, index) and AGAIN not in name)


def _is_of(error: OutputError, index: int) -> bool:
    return _names(error.name, index)


def _names(name: str, index: int) -> bool:
    """Whether a result is one of an input; what names none is one of all."""
    return not names_input(name) or input_of(name) == index


def _latency(events: Sequence[InspectorBench]) -> Latency | None:
    times = sorted(time_ns for block in timed_blocks(events).values() for time_ns in block.times_ns)
    if not times:
        return None
    device = {
        key: statistics.median(block.device_ns)
        for key, block in timed_blocks(events).items()
        if any(block.device_ns)
    }
    return Latency(
        middle_ns=middle_of(medians_of(timed_blocks(events))),
        p5_ns=times[int(0.05 * (len(times) - 1))],
        p95_ns=times[math.ceil(0.95 * (len(times) - 1))],
        calls=len(times),
        device_ns=middle_of(device) if device else None,
    )


def _bursts(events: Iterable[InspectorBench]) -> dict[tuple[int, int], float]:
    return {
        key: block.burst_ns / block.burst_calls
        for key, block in timed_blocks(events).items()
        if block.burst_calls and block.burst_ns
    }


def _items_per_s(
    bursts: Mapping[tuple[int, int], float], items: int, latency: Latency | None
) -> float | None:
    if not items or latency is None:
        return None
    return 1e9 * items / (middle_of(bursts) if bursts else latency.middle_ns)


def _busy(events: Sequence[InspectorBench], latency: Latency | None) -> float | None:
    busy_ns = next((event.busy_ns for event in events if event.what == "busy"), 0)
    # What was measured apart can come out a little longer than the whole.
    return min(1.0, busy_ns / latency.middle_ns) if busy_ns and latency else None


def _break_even(
    cold: InspectorBench | None,
    mine: Mapping[tuple[int, int], float],
    theirs: Sequence[InspectorBench],
    latency: Latency | None,
) -> int | None:
    """Calls, the first included, after which all have taken less time than eager ones.

    The second call has a time of its own, too: with CUDA graphs it is the one that records them.
    """
    sessions = {session for session, _ in mine}
    eager = _latency([event for event in theirs if event.session in sessions])
    eager_first = next((e for e in theirs if e.what == "first" and not e.session), None)
    if latency is None or eager is None or cold is None or eager_first is None:
        return None
    gain_ns = eager.middle_ns - latency.middle_ns
    if gain_ns <= 0:
        return None
    paid_ns = cold.first_ns - eager_first.first_ns
    more_ns = (cold.second_ns or latency.middle_ns) - (eager_first.second_ns or eager.middle_ns)
    if max(paid_ns, paid_ns + more_ns) <= 0:
        return 1
    return 2 + max(0, math.ceil((paid_ns + more_ns) / gain_ns))


def _worst(errors: Iterable[OutputError]) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for error in errors:
        # Of rounding it is always about the whole.
        if error.scale == "rounding" or not error.has_number:
            continue
        found[error.reference] = max(found.get(error.reference, 0.0), error.relative)
    return found
