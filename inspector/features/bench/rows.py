"""What was measured of each combination, next to eager PyTorch on the same workload."""

import dataclasses
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from inspector.features.bench.compiled import Compiled, first_process, make_compiled
from inspector.features.bench.ratio import Ratio, Times, middle_of, ratio_of
from inspector.records.bench import (
    BenchEvent,
    BusyTime,
    CallMemory,
    FirstCalls,
    OutputError,
    ResultErrors,
    Settled,
    TimedBlock,
)
from inspector.run.run import Run
from inspector.shared.bench import BenchPlan, Setting, Workload
from inspector.shared.result_names import AGAIN, input_of, names_input

INTERRUPTED = "interrupted before it was measured"
NOT_TRIED = "not tried: eager fails"
"""Why something is missing that might have worked."""

_Event = TypeVar("_Event", bound=BenchEvent)


@dataclasses.dataclass(frozen=True, slots=True)
class Latency:
    """The time of a call, in ns.

    Attributes:
        middle_ns: Time of a call: the median over sessions of the geometric mean over rounds of the
            block medians.
        p5_ns: 5th percentile: 1 of 20 calls takes less.
        p95_ns: 95th percentile: 1 of 20 calls takes longer.
    """

    middle_ns: float
    p5_ns: float
    p95_ns: float
    calls: int


@dataclasses.dataclass(frozen=True, slots=True)
class BenchRow:
    """Results of one combination of workload and setting with one input.

    Attributes:
        input: Number of the input, from 0.
        inputs: Shapes of the inputs, as text.
        items_per_s: Throughput in items per second, by the first dimension of the inputs. On a GPU,
            calls are issued without waiting in between.
        faster: Eager time by this time, or None: of eager PyTorch itself, and where one is missing.
        first_ns: Time of the first call, with empty caches.
        second_ns: Time of the second call.
        cached_first_ns: Median time of the first call with filled caches.
        break_even_calls: Number of calls after which the first call has paid for itself. None if
            the setting is not faster by more than noise, gives wrong results, or compiles nothing.
        memory: Bytes by kind: ``base``, ``peak_allocated``, ``peak_reserved`` and ``pools``.
        busy: Share of a call in which a GPU is busy: busy time under the profiler divided by the
            call time without it.
        launches: Kernels and copies launched per call.
        wrong: Results that are off by more than rounding, or of another kind, by their names.
        draws: Whether a call draws random numbers, which can differ in compiled code.
        is_settled: Whether times were stable before they were measured.
        errors: Differences of results from those of other processes.
        failure: Reason why results are missing, if any are.
        detail: Traceback through user code, if any.
        uncompared: Results of a kind that cannot be compared.
    """

    combination: int
    workload: Workload
    setting: Setting
    input: int = 0
    inputs: str = ""
    latency: Latency | None = None
    items_per_s: float | None = None
    faster: Ratio | None = None
    first_ns: int | None = None
    second_ns: int | None = None
    cached_first_ns: int | None = None
    break_even_calls: int | None = None
    memory: Mapping[str, int] = dataclasses.field(default_factory=dict)
    busy: float | None = None
    launches: int = 0
    errors: tuple[OutputError, ...] = ()
    wrong: tuple[str, ...] = ()
    draws: bool = False
    compiled: Compiled | None = None
    is_settled: bool = True
    medians: Times = dataclasses.field(default_factory=dict)
    failure: str = ""
    detail: str = ""
    uncompared: tuple[str, ...] = ()
    varies: str = ""

    @property
    def worst(self) -> Mapping[str, float]:
        """The largest error by reference, of results that are not rounding alone."""
        found: dict[str, float] = {}
        for error in self.errors:
            # Of rounding it is always about the whole.
            if error.scale != "rounding" and error.has_number:
                found[error.reference] = max(found.get(error.reference, 0.0), error.relative)
        return found

    @property
    def is_wrong(self) -> bool:
        """Whether any result is wrong."""
        return bool(self.wrong)

    @property
    def fails_later(self) -> bool:
        """Whether it failed after some of it was timed, in a later block or session."""
        return self.latency is not None and self.failure not in {"", INTERRUPTED}

    @property
    def is_right(self) -> bool:
        """Whether it ran as long as it was asked to, with right results."""
        return self.latency is not None and not (self.is_wrong or self.fails_later)


def make_rows(plan: BenchPlan, run: Run) -> tuple[BenchRow, ...]:
    """A row for each combination and input, in the order of the plan; failures are rows too."""
    events: dict[int, list[BenchEvent]] = {}
    for event in run.records(BenchEvent):
        events.setdefault(event.combination, []).append(event)
    left_out = {end.combination for end in plan.ends if end.is_left_out}
    rows: list[BenchRow] = []
    for workload in plan.workloads:
        numbers = [number for number in plan.numbers(workload) if number not in left_out]
        theirs = events.get(numbers[0], []) if numbers else []  # eager PyTorch is the first
        for number in numbers:
            mine = events.get(number, [])
            compiled = make_compiled(run, first_process(run, number))
            inputs = {event.input for event in (*mine, *theirs)}
            rows += [
                _row(plan, number, index, (mine, theirs), compiled)
                for index in sorted(inputs.union(range(len(plan.variations) or 1)))
            ]
    if run.meta.ended == "interrupted":
        rows = [
            row if row.latency or row.failure else dataclasses.replace(row, failure=INTERRUPTED)
            for row in rows
        ]
    return tuple(rows)


def _of(kind: type[_Event], events: Iterable[BenchEvent], index: int) -> list[_Event]:
    return [event for event in events if isinstance(event, kind) and event.input == index]


def _row(
    plan: BenchPlan,
    number: int,
    index: int,
    events: tuple[Sequence[BenchEvent], Sequence[BenchEvent]],
    compiled: Compiled | None,
) -> BenchRow:
    combination = plan.combinations[number]
    workload, setting = combination.workload, combination.setting
    mine, theirs = ([event for event in each if event.input == index] for each in events)
    firsts = sorted(_of(FirstCalls, events[0], index), key=lambda event: event.session)
    # In later sessions caches are full.
    cold = firsts[0] if firsts and not firsts[0].session else None
    cached = [event.first_ns for event in firsts if event is not cold and event.first_ns]
    shapes = [event.inputs for event in (*mine, *theirs) if isinstance(event, FirstCalls)]
    times, eager_times = map(_medians, (mine, theirs))
    latency = _latency(mine)
    faster = None if setting.is_eager else ratio_of(eager_times, times)
    results = [event for event in events[0] if isinstance(event, ResultErrors)]
    wrong = tuple(name for event in results for name in event.wrong if _names(name, index))
    # Of a gain that may be noise nothing can be said.
    pays = faster is not None and faster.low > 1 and not wrong
    memory = next(iter(_of(CallMemory, mine, index)), CallMemory())
    busy = next(iter(_of(BusyTime, mine, index)), None)
    end = next((end for end in plan.ends if end.combination == number and end.failure), None)
    return BenchRow(
        combination=number,
        workload=workload,
        setting=setting,
        input=index,
        inputs=next(iter(shapes), ""),
        latency=latency,
        items_per_s=_items_per_s(mine, firsts[0].items if firsts else 0, latency),
        varies=", ".join(map(str, plan.variations[index] if plan.variations[index:] else ())),
        faster=faster,
        first_ns=cold.first_ns if cold else None,
        second_ns=cold.second_ns if cold else None,
        cached_first_ns=round(statistics.median(cached)) if cached else None,
        break_even_calls=_break_even(cold, latency, theirs) if pays else None,
        memory=memory.memory,
        # What was measured apart can come out a little longer than the whole.
        busy=min(1.0, busy.busy_ns / latency.middle_ns) if busy and latency else None,
        launches=busy.launches if busy else 0,
        errors=tuple(e for event in results for e in event.errors if _names(e.name, index)),
        wrong=wrong,
        # What there is again because it was called again is there once.
        uncompared=tuple(
            name
            for event in results
            for name in event.uncompared
            if _names(name, index) and AGAIN not in name
        ),
        draws=bool(firsts and firsts[0].draws),
        compiled=None if setting.is_eager else compiled,
        is_settled=all(event.is_settled for event in _of(Settled, mine, index)),
        medians=times,
        failure=end.failure if end else "",
        detail=end.detail if end else "",
    )


def _names(name: str, index: int) -> bool:
    """Whether a result is one of an input; what names none is one of all."""
    return not names_input(name) or input_of(name) == index


def _blocks(events: Iterable[BenchEvent]) -> list[TimedBlock]:
    return [event for event in events if isinstance(event, TimedBlock) and any(event.times_ns)]


def _medians(events: Iterable[BenchEvent]) -> dict[tuple[int, int], float]:
    blocks = _blocks(events)
    return {(block.session, block.round): statistics.median(block.times_ns) for block in blocks}


def _latency(events: Sequence[BenchEvent]) -> Latency | None:
    times = sorted(time_ns for block in _blocks(events) for time_ns in block.times_ns)
    if not times:
        return None
    return Latency(
        middle_ns=middle_of(_medians(events)),
        p5_ns=times[int(0.05 * (len(times) - 1))],
        p95_ns=times[math.ceil(0.95 * (len(times) - 1))],
        calls=len(times),
    )


def _items_per_s(events: Iterable[BenchEvent], items: int, latency: Latency | None) -> float | None:
    if not items or latency is None:
        return None
    bursts = {
        (block.session, block.round): block.burst_ns / block.burst_calls
        for block in _blocks(events)
        if block.burst_calls and block.burst_ns
    }
    return 1e9 * items / (middle_of(bursts) if bursts else latency.middle_ns)


def _break_even(
    cold: FirstCalls | None, latency: Latency | None, theirs: Sequence[BenchEvent]
) -> int | None:
    """Calls, the first included, after which all have taken less time than eager ones.

    The second call has a time of its own, too: with CUDA graphs it is the one that records them.
    """
    eager = _latency(theirs)
    firsts = (each for each in theirs if isinstance(each, FirstCalls) and not each.session)
    eager_first = next(firsts, None)
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
