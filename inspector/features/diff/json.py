"""Two runs side by side as JSON."""

import dataclasses

from inspector.features.diff.conditions import Condition
from inspector.features.diff.findings import FindingChange
from inspector.features.diff.report import FORMAT_VERSION, DiffReport
from inspector.features.diff.verdict import answer, highlights
from inspector.features.kernels.json import GPU
from inspector.features.kernels.report import KernelsReport
from inspector.report.json.common import COMMON, versions
from inspector.report.json.encode import Scope, View, Views, tool_version
from inspector.run.kernel import NodeLine
from inspector.run.kernel_diff import Counts, DiffKernel, KernelChange


@dataclasses.dataclass(frozen=True, slots=True)
class _Pair:
    """Number of occurrences on each side."""

    name: str
    before: int
    after: int


@dataclasses.dataclass(frozen=True, slots=True)
class _Times:
    """Total time of a library function in a profiled call, on each side."""

    name: str
    before_ns: int | None
    after_ns: int | None


def _libraries(scope: Scope) -> list[_Pair]:
    """Library calls that one side makes more often."""
    return [_Pair(name, *pair) for name, pair in scope.of(DiffReport).diff.libraries.items()]


def _operators(scope: Scope) -> list[_Pair]:
    """Operators that occur more often in the captured graphs of one side."""
    return [_Pair(name, *pair) for name, pair in scope.of(DiffReport).diff.operators.items()]


def _library_times(scope: Scope) -> list[_Times]:
    """Times of library functions in a profiled call."""
    times = scope.of(DiffReport).library_times
    return [_Times(name, *pair) for name, pair in times.items()]


def _answer(scope: Scope) -> str:
    """Whether B is better than A, and by what."""
    return answer(scope.of(DiffReport))


def _highlights(scope: Scope) -> list[str]:
    """The most important changes, causes first."""
    return list(highlights(scope.of(DiffReport)))


def _counts(scope: Scope) -> Counts:
    """Totals of this side."""
    report = scope.of(DiffReport)
    is_before = scope.of(KernelsReport) is report.before
    return report.diff.before if is_before else report.diff.after


VIEWS: Views = {
    **COMMON,
    **GPU,
    DiffReport: View(
        """format_version kind tool_version answer highlights areas is_empty
        is_worse before after conditions findings functions graphs guards
        kernels=diff.kernels libraries library_times operators stages caches times notices""",
        format_version=FORMAT_VERSION,
        kind="diff",
        tool_version=tool_version,
        answer=_answer,
        highlights=_highlights,
        libraries=_libraries,
        library_times=_library_times,
        operators=_operators,
    ),
    KernelsReport: View(
        """name=run.meta.name target=run.meta.target started=run.meta.started?
        partial=run.meta.partial? error=run.meta.error? settings=run.meta.settings< versions gpu
        counts""",
        versions=versions,
        counts=_counts,
    ),
    Condition: View("name before? after? differs"),
    FindingChange: View("kind before after"),
    KernelChange: View(
        """kind matched_by? before after part_of? differences lines_added=added
        lines_removed=removed"""
    ),
    DiffKernel: View(
        """name=kernel.name language=kernel.language kind=kernel.kind launches bytes=traffic_bytes
        registers spill_bytes predicted_ns time_ns aten=kernel.aten nodes=kernel.nodes
        source=kernel.source"""
    ),
    NodeLine: View("node file? line? code?"),
}
