"""Everything that is said about two runs side by side."""

import collections
import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence

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
from inspector.run.graph import Stage
from inspector.run.kernel_diff import Counts, DiffKernel, KernelDiff
from inspector.run.run import Run
from inspector.run.summary import summarize

FORMAT_VERSION = 1
"""Of a diff as JSON: counts up when a field changes its meaning or goes."""

# What says where and when something was recorded, and not how.
_NOT_ASKED: tuple[object, ...] = (None, "", [], ())
_NO_CONDITIONS = frozenset({"target", "gpu", "profile", "python"})


@dataclasses.dataclass(frozen=True, slots=True)
class Condition:
    """A setting, a version, or the hardware.

    Attributes:
        before: What it was in A, or an empty string.
        after: What it was in B, or an empty string.
    """

    name: str
    before: str
    after: str

    @property
    def differs(self) -> bool:
        """Whether it is another one on side B."""
        return self.before != self.after


@dataclasses.dataclass(frozen=True, slots=True)
class FindingChange:
    """A finding that only one side has, or that differs on side B."""

    before: Finding | None
    after: Finding | None

    @property
    def kind(self) -> str:
        """``gone``, ``new`` or ``changed``."""
        return "new" if self.before is None else "gone" if self.after is None else "changed"


@dataclasses.dataclass(frozen=True, slots=True)
class DiffReport:
    """Two runs side by side.

    Attributes:
        notices: Notes on the comparison, one sentence each.
        library_times: ns of all calls of a library's function in a profiled call, before and after.
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


@dataclasses.dataclass(frozen=True, slots=True)
class SideFacts:
    """What the graphs, the profile and the rules say of one side.

    Attributes:
        traffic_bytes: Bytes that all kernels and calls read and write, as `inspect graph` counts
            them; None where the recording does not say.
        profile: Of the first input; None without one.
    """

    operators: Mapping[str, int] = dataclasses.field(default_factory=dict)
    traffic_bytes: int | None = None
    findings: tuple[Finding, ...] = ()
    profile: Profiled | None = None

    @property
    def times_ns(self) -> Mapping[str, int]:
        """The time of a call by the name of the kernel or function."""
        found: collections.Counter[str] = collections.Counter()
        for item in self.profile.work if self.profile else ():
            found[item.name] += round(item.time_ns)
        return found


_NO_FACTS = SideFacts()


def make_diff_report(
    before: KernelsReport,
    after: KernelsReport,
    facts: tuple[SideFacts, SideFacts] = (_NO_FACTS, _NO_FACTS),
) -> DiffReport:
    """Compares the kernels of two runs."""
    moved = [item.traffic_bytes for item in facts]
    sides = list(zip((before, after), facts, strict=True))
    kernels = [_kernels(*side) for side in sides]
    counts = [_counts(*side, found) for side, found in zip(sides, kernels, strict=True)]
    is_whole = None not in moved
    if is_whole:
        counts = [dataclasses.replace(item, traffic_bytes=size)
                  for item, size in zip(counts, moved, strict=True)]  # fmt: skip
    conditions = tuple(_conditions(before, after))
    diff = KernelDiff(
        before=counts[0],
        after=counts[1],
        kernels=tuple(matched(*kernels)),
        libraries=_changed(before.libraries, after.libraries),
        operators=_changed(facts[0].operators, facts[1].operators),
    )
    findings = tuple(_findings(facts[0].findings, facts[1].findings))
    own = {row.kernel.name for report in (before, after) for row in report.rows}
    old, new = (item.times_ns for item in facts)
    times = {name: (old.get(name), new.get(name)) for name in {**old, **new} if name not in own}
    notices = tuple(_notices((before, after), diff, is_whole=is_whole))
    return DiffReport(before, after, conditions, diff, notices, findings, times)


def _findings(before: Sequence[Finding], after: Sequence[Finding]) -> Iterator[FindingChange]:
    """By fingerprint; of equal ones the first belongs to the first."""
    left: dict[str, list[Finding]] = collections.defaultdict(list)
    for finding in after:
        left[finding.fingerprint].append(finding)
    changed = []
    for finding in before:
        same = left[finding.fingerprint]
        if not same:
            yield FindingChange(finding, None)
            continue
        now = same.pop(0)
        if (finding.message, finding.records) != (now.message, now.records):
            changed.append(FindingChange(finding, now))
    yield from (
        FindingChange(None, finding) for finding in after if finding in left[finding.fingerprint]
    )
    yield from changed


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
    run: Run, report: KernelsReport, rules: Sequence[Rule[Run, Finding]] = ()
) -> SideFacts:
    """Reads the graphs and the profile of a run, whose logs must still be there.

    Raises:
        OSError: A log is gone.
    """
    operators: collections.Counter[str] = collections.Counter()
    for graph in make_graph_report(run, Stage.DYNAMO.value).graphs:
        counted = count_operators(graph)
        operators.update({item.operator: item.count for item in counted.operators})
    fused = {
        (row.fusion.graph.compile_id, row.fusion.graph.direction): row.fusion.bytes_
        for row in make_graph_report(run, FUSION).rows
    }
    sizes = [fused.get((graph.compile_id, graph.direction)) for graph in report.taken]
    profiles = make_profile_report(run).profiles
    return SideFacts(
        operators,
        total(sizes) if sizes else None,
        make_report(run, rules).findings,
        next((item for item in profiles if not item.profile.error), None),
    )


def _conditions(before: KernelsReport, after: KernelsReport) -> Iterator[Condition]:
    yield Condition("GPU", _gpu(before), _gpu(after))
    versions = [_versions(report.run) for report in (before, after)]
    settings = [_settings(report.run) for report in (before, after)]
    names = sorted({*settings[0], *settings[1]})
    for (old, new), keys in ((versions, {**versions[0], **versions[1]}), (settings, names)):
        yield from (Condition(name, old.get(name, ""), new.get(name, "")) for name in keys)


def _gpu(report: KernelsReport) -> str:
    """The GPU that code was generated for: one that is not there, or those of the machine."""
    if report.gpu is not None:
        return f"{report.gpu.name} (not here)"
    hardware = [process.hardware.get("gpus") for process in report.run.processes]
    names = {
        str(gpu.get("name"))
        for gpus in hardware
        if isinstance(gpus, list | tuple)
        for gpu in gpus
        if isinstance(gpu, Mapping)
    }
    return ", ".join(sorted(names)) or "none"


def _versions(run: Run) -> dict[str, str]:
    found: dict[str, str] = {}
    for process in run.processes:
        found |= {name: process.versions[name] for name in sorted(process.versions)}
    return found


def _settings(run: Run) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value, default=str)
        for name, value in run.meta.settings.items()
        if name not in _NO_CONDITIONS and value is not False and value not in _NOT_ASKED
    }


def _notices(
    reports: tuple[KernelsReport, KernelsReport], diff: KernelDiff, *, is_whole: bool
) -> Iterator[str]:
    for letter, report in zip("AB", reports, strict=True):
        if report.run.meta.partial:
            yield f"{letter} is partial: {report.run.meta.partial.rstrip('.')}"
        if report.run.meta.error:
            yield f"{letter} failed: {report.run.meta.error.rstrip('.')}"
        if not report.graphs:
            yield f"{letter} has no Inductor code"
    yield from dict.fromkeys(
        notice for report in reports for notice in report.notices if notice == NOT_COMPILED
    )
    if not diff.is_empty and diff.before.traffic_bytes is None and diff.before.kernels:
        yield "bytes are unknown, because Inductor counted none"
    calls = diff.before.library_calls + diff.after.library_calls
    if not is_whole and calls and diff.before.traffic_bytes is not None:
        yield "bytes exclude library calls"
