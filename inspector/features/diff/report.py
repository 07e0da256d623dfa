"""Everything that is said about two runs side by side."""

import collections
import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from inspector.features.bench.rows import BenchRow
from inspector.features.diff.conditions import Condition, conditions
from inspector.features.diff.findings import FindingChange, finding_changes
from inspector.features.diff.frames import FramePair, frame_pairs
from inspector.features.diff.graphs import NO_GRAPHS, GraphsDiff, graphs_diff
from inspector.features.diff.guards import NO_GUARDS, GuardsDiff, guards_diff
from inspector.features.diff.measured import (
    CacheChange,
    StageChange,
    Times,
    cache_changes,
    call_times,
    samples_of,
    stage_changes,
)
from inspector.features.graph.fusion import total
from inspector.features.graph.operators import count_operators
from inspector.features.graph.report import FUSION, make_graph_report
from inspector.features.kernels.kernel_build_wording import shortest
from inspector.features.kernels.kernels_compiled import NOT_COMPILED
from inspector.features.kernels.matching import matched
from inspector.features.kernels.report import KernelsReport
from inspector.features.profile.profiled import Profiled
from inspector.features.profile.report import make_profile_report
from inspector.report.finding import Finding
from inspector.report.report import make_report
from inspector.report.rule import Rule
from inspector.report.wording import count
from inspector.run.graph import Stage
from inspector.run.kernel_diff import Counts, DiffKernel, KernelDiff
from inspector.run.run import Run
from inspector.run.summary import summarize

FORMAT_VERSION = 1
"""Of a diff as JSON: counts up when a field changes its meaning or goes."""


@dataclasses.dataclass(frozen=True, slots=True)
class FunctionChange:
    """Functions that only one side compiles.

    Attributes:
        kind: ``new`` or ``gone``.
        count: Number of functions with this name.
    """

    kind: str
    name: str
    count: int


@dataclasses.dataclass(frozen=True, slots=True)
class DiffReport:
    """Two runs side by side.

    Attributes:
        notices: Notes on the comparison, one sentence each.
        library_times: ns of all calls of a library's function in a profiled call, before and after.
        stages: Compile time by stage, the sum first; empty without a noticeable difference.
        times: Calls that both sides measured.
    """

    before: KernelsReport
    after: KernelsReport
    conditions: tuple[Condition, ...]
    diff: KernelDiff
    notices: tuple[str, ...]
    findings: tuple[FindingChange, ...] = ()
    library_times: Mapping[str, tuple[int | None, int | None]] = dataclasses.field(
        default_factory=dict
    )
    graphs: GraphsDiff = NO_GRAPHS
    guards: GuardsDiff = NO_GUARDS
    stages: tuple[StageChange, ...] = ()
    caches: tuple[CacheChange, ...] = ()
    times: tuple[Times, ...] = ()
    functions: tuple[FunctionChange, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the runs differ at most in settings, versions and measured times."""
        same = self.diff.is_empty and self.graphs.is_same and not self.guards.changes
        return same and not self.findings

    @property
    def is_worse(self) -> bool:
        """Whether B launches more kernels, moves more bytes, or breaks more often."""
        breaks_more = self.diff.after.graph_breaks > self.diff.before.graph_breaks
        return breaks_more if self.areas["kernels"] is None else self.diff.is_worse

    @property
    def areas(self) -> Mapping[str, bool | None]:
        """Whether each area differs; None where a side has nothing that can be compared."""
        rules = {(item.after or item.before).rule for item in self.findings}  # type: ignore[union-attr]
        breaks, recompiles = "graph-break" in rules, "recompile" in rules
        counts = self.diff.before, self.diff.after
        has_code = bool(self.before.graphs and self.after.graphs)
        return {
            "settings and versions": any(item.differs for item in self.conditions),
            "graph breaks": breaks or counts[0].graph_breaks != counts[1].graph_breaks,
            "recompilations": recompiles or counts[0].recompiles != counts[1].recompiles,
            "other findings": bool(rules - {"graph-break", "recompile"}),
            "graphs": None if not self.graphs.stage else not self.graphs.is_same,
            "guards": bool(self.guards.changes) if self.guards.before else None,
            "kernels": any(item.kind != "same" for item in self.diff.kernels)
            or bool(self.diff.libraries) if has_code else None,
            "compile time": bool(self.stages),
            "cache results": bool(self.caches),
            "call times": any(item.differs for item in self.times) if self.times else None,
        }  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class SideFacts:
    """What the graphs, the profile and the rules say of one side.

    Attributes:
        traffic_bytes: Bytes that all kernels and calls read and write, as `inspect graph` counts
            them; None where the recording does not say.
        profile: Of the first input; None without one.
        samples_ns: Independent times of what was called, by its name.
    """

    operators: Mapping[str, int] = dataclasses.field(default_factory=dict)
    traffic_bytes: int | None = None
    findings: tuple[Finding, ...] = ()
    profile: Profiled | None = None
    samples_ns: Mapping[str, tuple[float, ...]] = dataclasses.field(default_factory=dict)

    @property
    def times_ns(self) -> Mapping[str, int]:
        """The time of a call by the name of the kernel or function."""
        found: collections.Counter[str] = collections.Counter()
        for item in self.profile.work if self.profile else ():
            found[item.name] += round(item.time_ns)
        return found


_FEW = 0.5  # operators in common, below which two graphs are not versions of one
_NO_FACTS = SideFacts()


def make_diff_report(
    before: KernelsReport,
    after: KernelsReport,
    facts: tuple[SideFacts, SideFacts] = (_NO_FACTS, _NO_FACTS),
) -> DiffReport:
    """Compares two runs, whose logs must still be there.

    Raises:
        OSError: A log is gone.
    """
    moved = [item.traffic_bytes for item in facts]
    sides = list(zip((before, after), facts, strict=True))
    kernels = [_kernels(*side) for side in sides]
    counts = [_counts(*side, found) for side, found in zip(sides, kernels, strict=True)]
    is_whole = None not in moved
    if is_whole:
        counts = [dataclasses.replace(item, traffic_bytes=size)
                  for item, size in zip(counts, moved, strict=True)]  # fmt: skip
    made = tuple(conditions(before, after))
    diff = KernelDiff(
        before=counts[0],
        after=counts[1],
        kernels=tuple(matched(*kernels)),
        libraries=_changed(before.libraries, after.libraries),
        operators=_changed(facts[0].operators, facts[1].operators),
    )
    findings = tuple(finding_changes(facts[0].findings, facts[1].findings))
    own = {row.kernel.name for report in (before, after) for row in report.rows}
    old, new = (item.times_ns for item in facts)
    times = {name: (old.get(name), new.get(name)) for name in {**old, **new} if name not in own}
    runs = before.run, after.run
    pairs = frame_pairs(*runs)
    graphs = graphs_diff(*runs)
    notices = (*_notices((before, after), diff, is_whole=is_whole), *_of_graphs(graphs))
    return DiffReport(
        before, after, made, diff, notices, findings, times, graphs,
        guards=guards_diff(pairs),
        stages=stage_changes(*runs),
        caches=cache_changes(*runs),
        times=tuple(call_times(facts[0].samples_ns, facts[1].samples_ns)),
        functions=tuple(_functions(pairs)),
    )  # fmt: skip


def _of_graphs(graphs: GraphsDiff) -> Iterator[str]:
    yield from graphs.unread
    least = min(sum(graphs.before), sum(graphs.after))
    if graphs.stage and graphs.matched < _FEW * least:
        few = f"only {graphs.matched:,} of {count(least, 'operator')} could be matched"
        yield f"{few}: these are graphs of different programs"


def _functions(pairs: Sequence[FramePair]) -> Iterator[FunctionChange]:
    for kind, names in (
        ("gone", [pair.name for pair in pairs if pair.after is None]),
        ("new", [pair.name for pair in pairs if pair.before is None]),
    ):
        for name, number in collections.Counter(names).items():
            yield FunctionChange(kind, name, number)


def _kernels(report: KernelsReport, facts: SideFacts) -> list[DiffKernel]:
    times = facts.times_ns
    found = []
    for row in report.rows:
        if row.is_candidate:
            continue
        build = shortest(row.facts) if row.facts is not None else None
        resources = build.config.resources if build is not None else None
        kernel = DiffKernel(
            row.kernel,
            row.launches,
            row.kernel.traffic_bytes,
            registers=resources.registers if resources else None,
            spill_bytes=resources.stack_bytes if resources else None,
            # The least that both take tells nothing of what they take.
            predicted_ns=None if row.facts is None or row.facts.is_least else row.facts.time_ns,
            time_ns=times.get(row.kernel.name),
        )
        found.append(kernel)
    return found


def _counts(report: KernelsReport, facts: SideFacts, kernels: Sequence[DiffKernel]) -> Counts:
    budget = facts.profile.budget if facts.profile else None
    summary = summarize(report.run)
    sizes = [
        None if item.traffic_bytes is None else item.traffic_bytes * item.launches
        for item in kernels
    ]
    known = [size for size in sizes if size is not None]
    times = [item.predicted_ns * item.launches for item in kernels if item.predicted_ns is not None]
    return Counts(
        kernels=len(kernels),
        launches=sum(item.launches for item in kernels),
        library_calls=sum(report.libraries.values()),
        traffic_bytes=sum(known) if known and len(known) == len(sizes) else None,
        operators=summary.operators,
        graphs=summary.graphs,
        graph_breaks=summary.graph_breaks,
        recompiles=summary.recompiles,
        compile_time_ns=summary.compile_time_ns,
        predicted_ns=sum(times) if times and len(times) == len(kernels) else None,
        call_ns=round(budget.wall_ns) if budget else None,
        busy_ns=round(budget.busy_ns) if budget else None,
    )


def _changed(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    names = dict.fromkeys([*before, *after])
    both = {name: (before.get(name, 0), after.get(name, 0)) for name in names}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


def side_facts(
    run: Run,
    report: KernelsReport,
    rules: Sequence[Rule[Run, Finding]] = (),
    rows: Sequence[BenchRow] = (),
) -> SideFacts:
    """Reads the graphs and the profile of a run, whose logs must still be there.

    Args:
        rows: What `inspect bench` measured, if this is its recording.

    Raises:
        OSError: A log is gone.
    """
    operators: collections.Counter[str] = collections.Counter()
    for graph in make_graph_report(run, Stage.DYNAMO.value).graphs:
        counted = count_operators(graph)
        operators.update({item.operator: item.count for item in counted.operators})
    fused = {
        (fusion.compile_id, fusion.graph.direction): fusion.bytes_
        for fusion in make_graph_report(run, FUSION).fusions
    }
    sizes = [fused.get((graph.compile_id, graph.direction)) for graph in report.taken]
    profiles = make_profile_report(run).profiles
    profile = next((item for item in profiles if not item.profile.error), None)
    return SideFacts(
        operators,
        total(sizes) if sizes else None,
        make_report(run, rules).findings,
        profile,
        samples_of(profile, rows),
    )


def _notices(
    reports: tuple[KernelsReport, KernelsReport], diff: KernelDiff, *, is_whole: bool
) -> Iterator[str]:
    for letter, report in zip("AB", reports, strict=True):
        if report.run.meta.partial:
            yield f"{letter} is partial: {report.run.meta.partial.rstrip('.')}"
        if report.run.meta.error:
            yield f"{letter} failed: {report.run.meta.error.rstrip('.')}"
        if not report.graphs:
            yield f"kernels are not compared: {letter} has no Inductor code"
    yield from dict.fromkeys(
        notice for report in reports for notice in report.notices if notice == NOT_COMPILED
    )
    if not diff.is_empty and diff.before.traffic_bytes is None and diff.before.kernels:
        yield "bytes are unknown, because Inductor counted none"
    calls = diff.before.library_calls + diff.after.library_calls
    if not is_whole and calls and diff.before.traffic_bytes is not None:
        yield "bytes exclude library calls"
