"""What is said about measurements of `inspect bench`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from inspector.benches.choice import Choice, choose
from inspector.benches.comparison import BenchComparison, compared
from inspector.benches.earlier import EarlierBench
from inspector.benches.rows import BenchRow, make_rows
from inspector.benches.sessions import first_process
from inspector.benches.varied import VariedSetting, make_varied
from inspector.findings.bench_machine import processor_of, torch_of
from inspector.findings.finding import Finding
from inspector.findings.profile_report import ProfileReport
from inspector.findings.profiled import Profiled
from inspector.findings.ptxas_wording import compiled_twice
from inspector.findings.report import make_report
from inspector.findings.rule import Rule
from inspector.findings.value_names import value_named
from inspector.findings.wording import listed
from inspector.model.bench import BenchPlan, Room, Workload
from inspector.model.result_names import AGAIN
from inspector.model.run import Run

FORMAT_VERSION = 1
"""Of a bench report as JSON: counts up when a field changes its meaning or goes."""

_TUNED = "max-autotune"
_MOST_REASONS = 3
_FEW_SESSIONS = {
    1: "with one session nothing is known of what differs from one start of the program to the "
    "next, so that the intervals are too narrow",
    2: "two sessions say next to nothing of what differs from one start of the program to the "
    "next, so that the intervals are very wide: with a third one they are a third as wide",
}
_ROOMS = {
    Room.PAIR: "had no memory beside all others, and took turns with eager PyTorch alone; how much "
    "faster is by eager calls of these sessions",
    Room.ALONE: "had no memory beside eager PyTorch: these were measured one after the other, and "
    "what the machine did meanwhile is in the ratio",
}


@dataclasses.dataclass(frozen=True, slots=True)
class BenchGroup:
    """The rows that are compared with each other.

    Attributes:
        workload: What is computed.
        input: Number of the input, from 0.
        inputs: Shapes of the inputs, as text.
        rows: The rows, eager PyTorch first.
        choice: Which to take.
        reasons: Where nothing is faster: what was found in the compilation.
        profile: Where nothing is faster, of the first such group: what its fastest setting spends
            its time on; or None.
    """

    workload: Workload
    input: int
    inputs: str
    rows: tuple[BenchRow, ...]
    choice: Choice
    reasons: tuple[Finding, ...]
    profile: Profiled | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class BenchReport:
    """Everything that is said about a bench.

    Attributes:
        plan: What was compared.
        run: What was recorded.
        groups: The rows by workload and input.
        device: The device's name, or an empty string.
        threads: Threads that an operator of the CPU may use, or 0.
        notices: What has to be known of the measurement; one sentence each.
        varied: The same by setting, where inputs were asked to vary.
        comparison: What changed against an earlier report, or None where none was named.
    """

    plan: BenchPlan
    run: Run
    groups: tuple[BenchGroup, ...]
    device: str
    threads: int
    notices: tuple[str, ...]
    comparison: BenchComparison | None = None
    varied: tuple[VariedSetting, ...] = ()

    @property
    def torch(self) -> str:
        """The version of torch, or an empty string."""
        return torch_of(self.run)

    @property
    def processor(self) -> str:
        """The CPU's name, or an empty string."""
        return processor_of(self.run)

    @property
    def rows(self) -> tuple[BenchRow, ...]:
        """All rows."""
        return tuple(row for group in self.groups for row in group.rows)


def make_bench_report(
    plan: BenchPlan,
    run: Run,
    rules: Iterable[Rule[Run, Finding]],
    profile: ProfileReport | None = None,
) -> BenchReport:
    """Reads the measurements of a run, whose logs must still be there.

    Args:
        plan: What was compared.
        run: What was recorded.
        rules: What is looked for where nothing is faster.
        profile: What was profiled then, or None.
    """
    rows = make_rows(plan, run)
    events = [event for process in run.processes for event in process.benches]
    firsts = [event for event in events if event.what == "first"]
    known = list(rules)
    varied = make_varied(plan, run, rows) if plan.variations else ()
    return BenchReport(
        plan=plan,
        run=run,
        groups=_with_profile(tuple(_groups(plan, rows, run, known)), profile),
        device=next((event.device for event in firsts), ""),
        threads=next((event.threads for event in firsts), 0),
        notices=tuple(_notices(plan, rows, run, firsts[0].device if firsts else "")),
        varied=varied,
    )


def against(report: BenchReport, earlier: EarlierBench) -> BenchReport:
    """The report with what changed since an earlier one."""
    threads = report.threads or ""
    machine = (report.device, report.torch, f"{report.processor} {threads}".strip())
    comparison = compared(report.rows, earlier, machine, report.plan.target)
    return dataclasses.replace(report, comparison=comparison)


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
                reasons=_reasons(run, plan, mine, rules) if choice.nearest else (),
            )


def _with_profile(
    groups: tuple[BenchGroup, ...], report: ProfileReport | None
) -> tuple[BenchGroup, ...]:
    """The groups, the first of those in which nothing is faster with the profile."""
    place = next((at for at, group in enumerate(groups) if group.choice.nearest), None)
    if report is None or place is None:
        return groups
    group = groups[place]
    found = next((item for item in report.profiles if item.profile.input == group.input), None)
    return (
        *groups[:place], dataclasses.replace(group, profile=found), *groups[place + 1 :]
    )  # fmt: skip


def _reasons(
    run: Run, plan: BenchPlan, rows: Sequence[BenchRow], rules: Sequence[Rule[Run, Finding]]
) -> tuple[Finding, ...]:
    """What was found in the first compilation, the most severe first."""
    compiled = next((row for row in rows if row.compiled is not None), None)
    if compiled is None:
        return ()
    process = first_process(run, plan, compiled.combination)
    processes = () if process is None else (process,)
    found = make_report(dataclasses.replace(run, processes=processes), rules).findings
    return found[:_MOST_REASONS]


_MOST_NAMED = 3
_SHORT_NS = 1_000_000
_SCALES = {
    "family": "Such errors are told as a part of the largest element of all results of their kind",
    "rounding": "Such errors are not told: of what eager PyTorch gives there all is error, too",
}


def _without_numbers(rows: Sequence[BenchRow]) -> Iterator[str]:
    """Which results are NaN without the compiler, too: of these nothing is compared."""
    errors = [error for row in rows for error in row.errors if AGAIN not in error.name]
    found = {value_named(error.name): error.nan for error in errors if error.nan}
    for name, share in sorted(found.items()):
        part = "" if share == 1 else f" in {share:.1%} of its elements"
        yield (
            f"{name} is NaN{part} in eager PyTorch, too: whether it is in the same places is all "
            "that can be compared there"
        )


def _uncompared(rows: Sequence[BenchRow]) -> Iterator[str]:
    """Which results nobody can compare."""
    names = sorted({value_named(name) for row in rows for name in row.uncompared})
    if names:
        yield f"of a kind that cannot be compared: {listed(names, _MOST_NAMED)}"


def _rounding_alone(rows: Sequence[BenchRow]) -> Iterator[str]:
    """Which results are 0 but for rounding, and what their error is a part of."""
    errors = [error for row in rows for error in row.errors if AGAIN not in error.name]
    for scale, said in _SCALES.items():
        names = listed(
            sorted({value_named(e.name) for e in errors if e.scale == scale and e.relative}),
            _MOST_NAMED,
        )
        if names:
            yield f"0 but for rounding: {names}. {said}"


def _few_sessions(measured: Sequence[BenchRow]) -> Iterator[str]:
    """What intervals are worth, of rows that were measured in one or two sessions."""
    compiled = [row for row in measured if not row.setting.is_eager] or measured
    sessions = [len({session for session, _ in row.medians}) for row in compiled]
    for few, said in _FEW_SESSIONS.items():
        labels = dict.fromkeys(
            row.setting.label for row, number in zip(compiled, sessions, strict=True)
            if number == few
        )  # fmt: skip
        if labels:
            whose = "" if set(sessions) == {few} else f"{', '.join(labels)}: "
            yield f"{whose}{said}"


def _restored(rows: Sequence[BenchRow], run: Run) -> Iterator[str]:
    """That short calls are not those of a loop, where something is put back between them."""
    events = (event for process in run.processes for event in process.benches)
    restored = {event.combination for event in events if event.restores}
    times = [row.latency.middle_ns for row in rows if row.latency and row.combination in restored]
    if times and min(times) < _SHORT_NS:
        yield (
            "calls change the model or what they are given, and all of that is put back before "
            "each, which empties the processor's caches: calls as short as these take up to twice "
            "as long here as in a loop, and ratios are those of such calls"
        )


def _notices(plan: BenchPlan, rows: Sequence[BenchRow], run: Run, device: str) -> Iterator[str]:
    left_out = {
        (plan.combinations[end.combination].setting.label, end.failure)
        for end in plan.ends
        if end.is_left_out
    }
    yield from (f"{label} is left out: {why}" for label, why in sorted(left_out))
    measured = [row for row in rows if row.latency is not None]
    unsettled = [row.setting.label for row in measured if not row.is_settled]
    if unsettled:
        names = ", ".join(dict.fromkeys(unsettled))
        yield (f"times of {names} were not stable after warm-up; the intervals say how much")
    yield from _restored(measured, run)
    if device == "cpu" and any(workload.tf32 is not None for workload in plan.workloads):
        yield "TF32 is of GPUs: on the CPU --tf32 on and off are the same"
    for room, said in _ROOMS.items():
        there = {row.combination for row in measured}
        ends = [e for e in plan.ends if e.room == room.value and e.combination in there]
        labels = dict.fromkeys(
            " · ".join(filter(None, (found.workload.label, found.setting.label)))
            for found in (plan.combinations[end.combination] for end in ends)
        )
        if labels:
            yield f"{', '.join(labels)} {said}"
    twice = compiled_twice(run)
    modes = {one.setting.mode for one in plan.combinations}
    if twice is not None and any(mode and mode.startswith(_TUNED) for mode in modes):
        yield f"{_TUNED} takes longer to compile than it must: {'. '.join(twice).rstrip('.')}"
    if run.meta.partial:
        yield (
            f"{run.meta.partial.rstrip('.')}: what was measured until then is shown, of fewer "
            "rounds or sessions than were asked for"
        )
    if any(row.setting.pads for row in measured):
        yield "results of padded calls have the padding in them, and are not compared with eager's"
    yield from _few_sessions(measured)
    yield from _without_numbers(rows)
    yield from _uncompared(rows)
    yield from _rounding_alone(rows)
    if any(row.draws and not row.setting.is_eager for row in rows):
        yield (
            "calls draw random numbers, and compiled code may draw others than eager PyTorch: "
            "results that differ are not called wrong; in model.eval() most models draw none"
        )
    if device == "cpu" and any(row.memory for row in rows):
        yield "memory is what torch's allocator gave; what libraries ask for is not seen on the CPU"
