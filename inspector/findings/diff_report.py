"""Everything that is said about two runs side by side."""

from __future__ import annotations

import collections
import dataclasses
import json
from collections.abc import Iterator, Mapping

from inspector.findings.kernel_build_wording import shortest
from inspector.findings.kernels_report import KernelRow, KernelsReport
from inspector.findings.wording import listed
from inspector.kernels.matching import matched
from inspector.model.kernel_diff import Counts, DiffKernel, KernelDiff
from inspector.model.run import Run
from inspector.model.summary import summarize

__all__ = ["FORMAT_VERSION", "Condition", "DiffReport", "Side", "make_diff_report"]

FORMAT_VERSION = 1
"""Of a diff as JSON: counts up when a field changes its meaning or goes."""

# What says where and when something was recorded, and not how.
_NOT_ASKED: tuple[object, ...] = (None, "", [], ())
_NO_CONDITIONS = frozenset({"target", "gpu", "profile", "python"})


@dataclasses.dataclass(frozen=True, slots=True)
class Side:
    """One of the two.

    Attributes:
        letter: ``A`` or ``B``.
        report: Its kernels.
    """

    letter: str
    report: KernelsReport


@dataclasses.dataclass(frozen=True, slots=True)
class Condition:
    """A setting, a version, or the hardware.

    Attributes:
        name: What it is.
        before: What it was on side A, or an empty string.
        after: What it was on side B, or an empty string.
    """

    name: str
    before: str
    after: str

    @property
    def differs(self) -> bool:
        """Whether it is another one on side B."""
        return self.before != self.after


@dataclasses.dataclass(frozen=True, slots=True)
class DiffReport:
    """Two runs side by side.

    Attributes:
        before: A.
        after: B.
        conditions: Settings, versions and GPU of both.
        diff: What changed.
        notices: What to know before the two are compared; one sentence each.
    """

    before: Side
    after: Side
    conditions: tuple[Condition, ...]
    diff: KernelDiff
    notices: tuple[str, ...]


def make_diff_report(before: KernelsReport, after: KernelsReport) -> DiffReport:
    """Compares the kernels of two runs."""
    conditions = tuple(_conditions(before, after))
    diff = KernelDiff(
        before=_counts(before),
        after=_counts(after),
        kernels=tuple(matched(_kernels(before), _kernels(after))),
        libraries=_changed(before.libraries, after.libraries),
        operators=_one_sided(_operators(before), _operators(after)),
    )
    notices = tuple(_notices((before, after), conditions, diff))
    return DiffReport(Side("A", before), Side("B", after), conditions, diff, notices)


def _kernels(report: KernelsReport) -> list[DiffKernel]:
    return [_kernel(row) for row in report.rows if not row.is_candidate]


def _kernel(row: KernelRow) -> DiffKernel:
    facts = shortest(row.facts) if row.facts is not None else None
    resources = facts.config.resources if facts is not None else None
    return DiffKernel(
        row.kernel,
        row.launches,
        row.kernel.traffic_bytes,
        registers=resources.registers if resources else None,
        spill_bytes=resources.stack_bytes if resources else None,
        # The least that both take tells nothing of what they take.
        predicted_ns=None if row.facts is None or row.facts.is_least else row.facts.time_ns,
    )


def _counts(report: KernelsReport) -> Counts:
    kernels = _kernels(report)
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
    )


def _changed(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    names = dict.fromkeys([*before, *after])
    both = {name: (before.get(name, 0), after.get(name, 0)) for name in names}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


def _one_sided(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """A kernel can compute again what another has computed: other numbers say little."""
    return {name: pair for name, pair in _changed(before, after).items() if 0 in pair}


def _operators(report: KernelsReport) -> collections.Counter[str]:
    """In how many launches and calls an operator of ATen takes part."""
    names: collections.Counter[str] = collections.Counter()
    for graph in report.taken:
        nodes = {kernel.name: kernel.aten for kernel in graph.kernels}
        for call in graph.calls:
            names.update(call.aten or nodes.get(call.name, ()))
    return names


def _conditions(before: KernelsReport, after: KernelsReport) -> Iterator[Condition]:
    yield Condition("GPU", _gpu(before), _gpu(after))
    versions = [_versions(report.run) for report in (before, after)]
    for name in dict.fromkeys([*versions[0], *versions[1]]):
        yield Condition(name, versions[0].get(name, ""), versions[1].get(name, ""))
    settings = [_settings(report.run) for report in (before, after)]
    for name in sorted({*settings[0], *settings[1]}):
        yield Condition(name, settings[0].get(name, ""), settings[1].get(name, ""))


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
    reports: tuple[KernelsReport, KernelsReport],
    conditions: tuple[Condition, ...],
    diff: KernelDiff,
) -> Iterator[str]:
    other = [condition.name for condition in conditions if condition.differs]
    if other:
        yield f"A and B were not made alike, but with another {listed(other)}"
    for letter, report in zip("AB", reports, strict=True):
        if report.run.meta.partial:
            yield f"{letter} is partial: {report.run.meta.partial.rstrip('.')}"
        if report.run.meta.error:
            yield f"{letter} failed: {report.run.meta.error.rstrip('.')}"
        if not report.graphs:
            yield f"{letter} has no code of Inductor"
    if not diff.is_empty and diff.before.traffic_bytes is None and diff.before.kernels:
        yield "bytes are unknown: Inductor counted none for these kernels"
