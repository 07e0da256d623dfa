"""What is said about measurements of `inspect bench`."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from inspector.features.bench.choice import Choice, choose
from inspector.features.bench.compiled import first_process
from inspector.features.bench.rows import BenchRow, make_rows
from inspector.features.bench.varied import VariedSetting, make_varied
from inspector.features.kernels.kernel_build_wording import compiled_twice
from inspector.records.bench import FirstCalls, Settled
from inspector.report.finding import Finding
from inspector.report.report import make_report
from inspector.report.rule import Rule
from inspector.report.value_names import value_named
from inspector.report.wording import count, listed
from inspector.run.run import Run
from inspector.shared.bench import BenchPlan, Workload

FORMAT_VERSION = 1
"""Of a bench report as JSON: counts up when a field changes its meaning or goes."""

_TUNED = "max-autotune"
_MOST_REASONS = 3
_MOST_NAMED = 3
_SHORT_NS = 1_000_000
_ENOUGH_SESSIONS = 3
_TIMES = "\N{MULTIPLICATION SIGN}"


@dataclasses.dataclass(frozen=True, slots=True)
class BenchGroup:
    """The rows that are compared with each other.

    Attributes:
        input: Number of the input, from 0.
        rows: The rows, eager PyTorch first.
        reasons: Findings about the compilation, if no setting is faster than eager PyTorch.
    """

    workload: Workload
    input: int
    inputs: str
    rows: tuple[BenchRow, ...]
    choice: Choice
    reasons: tuple[Finding, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class BenchReport:
    """The report of a benchmark.

    Attributes:
        groups: The rows by workload and input.
        threads: Number of threads available to a CPU operator, if known.
        notices: Notes on the measurement, one sentence each.
        varied: Results by setting for varied inputs; empty if none were requested.
    """

    plan: BenchPlan
    run: Run
    groups: tuple[BenchGroup, ...]
    device: str
    threads: int
    notices: tuple[str, ...]
    varied: tuple[VariedSetting, ...] = ()

    @property
    def rows(self) -> tuple[BenchRow, ...]:
        """All rows."""
        return tuple(row for group in self.groups for row in group.rows)


def make_bench_report(
    plan: BenchPlan, run: Run, rules: Iterable[Rule[Run, Finding]]
) -> BenchReport:
    """Reads the measurements of a run, whose logs must still be there."""
    rows = make_rows(plan, run)
    first = next(iter(run.records(FirstCalls)), FirstCalls())
    return BenchReport(
        plan=plan,
        run=run,
        groups=tuple(_groups(plan, rows, run, list(rules))),
        device=first.device,
        threads=first.threads,
        notices=tuple(_notices(plan, rows, run, first.device)),
        varied=make_varied(plan, run, rows) if plan.variations else (),
    )


def _groups(
    plan: BenchPlan, rows: Sequence[BenchRow], run: Run, rules: Sequence[Rule[Run, Finding]]
) -> Iterator[BenchGroup]:
    for workload in plan.workloads:
        of = [row for row in rows if row.workload == workload]
        for index in sorted({row.input for row in of}):
            mine = tuple(row for row in of if row.input == index)
            choice = choose(mine)
            yield BenchGroup(
                workload=workload,
                input=index,
                inputs=next((row.inputs for row in mine if row.inputs), ""),
                rows=mine,
                choice=choice,
                reasons=_reasons(run, mine, rules) if choice.nearest else (),
            )


def _reasons(
    run: Run, rows: Sequence[BenchRow], rules: Sequence[Rule[Run, Finding]]
) -> tuple[Finding, ...]:
    compiled = next((row for row in rows if row.compiled is not None), None)
    process = first_process(run, compiled.combination) if compiled is not None else None
    if process is None:
        return ()
    found = make_report(dataclasses.replace(run, processes=(process,)), rules).findings
    return found[:_MOST_REASONS]


def _notices(plan: BenchPlan, rows: Sequence[BenchRow], run: Run, device: str) -> Iterator[str]:
    """What has to be known of the measurement, if it changes what one does with the figures."""
    measured = [row for row in rows if row.latency is not None]
    if run.meta.partial:
        yield f"{run.meta.partial.rstrip('.')}: fewer rounds or sessions than requested"
    yield from _few_sessions(measured)
    left_out = {
        (plan.combinations[end.combination].setting.label, end.failure)
        for end in plan.ends
        if end.is_left_out
    }
    yield from (f"{label} is excluded: {why}" for label, why in sorted(left_out))
    unsettled = dict.fromkeys(row.setting.label for row in measured if not row.is_settled)
    if unsettled:
        yield f"timings not stable after warm-up ({', '.join(unsettled)}): raise --seconds"
    yield from _restored(measured, run)
    if device == "cpu" and any(workload.tf32 is not None for workload in plan.workloads):
        yield "--tf32 has no effect on the CPU"
    if any(end.is_alone for end in plan.ends):
        yield "measured one after the other, because memory is too small for all settings"
    twice = compiled_twice(run)
    modes = {one.setting.mode for one in plan.combinations}
    if twice is not None and any(mode and mode.startswith(_TUNED) for mode in modes):
        yield f"{_TUNED} compiles more slowly than necessary: {'. '.join(twice).rstrip('.')}"
    uncompared = sorted({value_named(name) for row in rows for name in row.uncompared})
    if uncompared:
        yield f"not compared: {listed(uncompared, _MOST_NAMED)}"
    if any(row.draws and not row.setting.is_eager for row in rows):
        yield "calls draw random numbers, so results are not compared: call model.eval()"


def _few_sessions(measured: Sequence[BenchRow]) -> Iterator[str]:
    """What intervals are worth, of rows that were measured in one or two sessions."""
    sessions = (len({session for session, _ in row.medians}) for row in measured)
    fewest = min(sessions, default=_ENOUGH_SESSIONS)
    if fewest < _ENOUGH_SESSIONS:
        width = "too narrow" if fewest == 1 else "very wide"
        yield f"intervals from {count(fewest, 'session')} are {width}: pass --sessions 3"


def _restored(rows: Sequence[BenchRow], run: Run) -> Iterator[str]:
    """That short calls are not those of a loop, where something is put back between them."""
    restored = {event.input for event in run.records(Settled) if event.restores}
    times = [row.latency.middle_ns for row in rows if row.latency and row.input in restored]
    if times and min(times) < _SHORT_NS:
        yield (
            "state is restored before each call, so CPU caches are cold: short calls take up to "
            f"2{_TIMES} longer than in a loop"
        )
