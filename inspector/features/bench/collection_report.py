"""What is said about a collection of models."""

import dataclasses
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence

from inspector.features.bench.report import BenchReport
from inspector.features.bench.rows import INTERRUPTED, BenchRow
from inspector.report.wording import listed
from inspector.shared.bench import Workload

FORMAT_VERSION = 1
"""Of a collection as JSON: counts up when a field changes its meaning or goes."""
_MOST_NAMED = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """A model of a collection.

    Attributes:
        failure: Why there are no rows, in one sentence, or an empty string.
    """

    name: str
    rows: tuple[BenchRow, ...] = ()
    failure: str = ""
    report: BenchReport | None = None

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended it, or kept it from being begun."""
        is_cut_off = self.report is not None and self.report.run.meta.ended == "interrupted"
        return is_cut_off or self.failure == INTERRUPTED

    def compiled(self) -> tuple[BenchRow, ...]:
        """The rows that are not eager PyTorch's."""
        return tuple(row for row in self.rows if not row.setting.is_eager)


@dataclasses.dataclass(frozen=True, slots=True)
class SettingSummary:
    """Summary of one setting over all models.

    Attributes:
        label: Name of the setting, preceded by the workload if there are several workloads.
        models: Number of models on which the setting was tried.
        ran: Number of models that ran with correct results.
        captured: Number of these models that were compiled without a graph break.
        speedup: Geometric mean of the speedup over eager PyTorch over the models that ran, or None.
        faster: Number of models that are faster by more than noise with every input; ``slower``
            likewise.
        same: Number of models that differ by no more than noise with every input.
    """

    label: str
    models: int
    ran: int
    captured: int
    wrong: int
    speedup: float | None
    faster: int
    slower: int
    same: int


@dataclasses.dataclass(frozen=True, slots=True)
class CollectionReport:
    """The report of a collection of models.

    Attributes:
        summaries: Summary of each setting over all models.
        notices: Notes on the measurement, one sentence each.
    """

    models: tuple[Measured, ...]
    summaries: tuple[SettingSummary, ...]
    device: str
    versions: Mapping[str, str]
    sessions: int
    notices: tuple[str, ...]


def make_collection_report(models: Sequence[Measured], sessions: int) -> CollectionReport:
    """Adds up the models; every process was begun in so many sessions."""
    reports = [model.report for model in models if model.report is not None]
    return CollectionReport(
        models=tuple(models),
        summaries=summarized(models),
        device=next((report.device for report in reports if report.device), ""),
        versions=next((p.versions for report in reports for p in report.run.processes), {}),
        sessions=sessions,
        notices=tuple(_notices(models)),
    )


def summarized(models: Sequence[Measured]) -> tuple[SettingSummary, ...]:
    """A summary for each setting, in the order in which they come up.

    A model that could not be measured at all counts as tried with every setting, and one that was
    interrupted with none. Of several inputs of a model all have to run; its speed-up is their
    geometric mean. Several workloads (batch sizes, dtypes) have summaries of their own.
    """
    keys = dict.fromkeys(_key(row) for model in models for row in model.compiled())
    several = len({workload for workload, _ in keys}) > 1
    failed = sum(not model.rows and model.failure != INTERRUPTED for model in models)
    found = []
    for workload, setting in keys:
        label = f"{workload.label or 'as it is'} · {setting}" if several else setting
        each = [
            [row for row in model.compiled() if _key(row) == (workload, setting)]
            for model in models
        ]
        found.append(_summary(label, each, failed))
    return tuple(found)


def _key(row: BenchRow) -> tuple[Workload, str]:
    return row.workload, row.setting.label


def _summary(label: str, each: Sequence[Sequence[BenchRow]], failed: int) -> SettingSummary:
    each = [rows for rows in each if rows and all(row.failure != INTERRUPTED for row in rows)]
    ran = [rows for rows in each if all(row.is_right for row in rows)]
    logs = [[math.log(row.faster.middle) for row in rows if row.faster] for rows in ran]
    means = [statistics.fmean(of) for of in logs if of]
    return SettingSummary(
        label=label,
        models=len(each) + failed,
        ran=len(ran),
        captured=sum(all(map(_is_whole, rows)) for rows in ran),
        wrong=sum(any(row.is_wrong for row in rows) for rows in each),
        speedup=math.exp(statistics.fmean(means)) if means else None,
        faster=sum(all(row.faster and row.faster.low > 1 for row in rows) for rows in ran),
        slower=sum(all(row.faster and row.faster.high < 1 for row in rows) for rows in ran),
        same=sum(all(row.faster and not row.faster.is_known for row in rows) for rows in ran),
    )


def _is_whole(row: BenchRow) -> bool:
    found = row.compiled
    return found is not None and bool(found.graphs) and not found.graph_breaks


def _notices(models: Sequence[Measured]) -> Iterator[str]:
    reports = [model.report for model in models if model.report is not None]
    targets: dict[str, list[str]] = {}
    for report in reports:
        for notice in report.notices:
            targets.setdefault(notice, []).append(report.plan.target)
    for notice, of in targets.items():
        yield notice if len(of) == len(reports) else f"{listed(of, _MOST_NAMED)}: {notice}"
