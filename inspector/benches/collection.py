"""Many models, each measured by itself."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable, Sequence

from inspector.benches.ratio import Ratio
from inspector.benches.rows import INTERRUPTED, BenchRow
from inspector.model.bench import Workload


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """A model of a collection.

    Attributes:
        name: As the user would write it.
        rows: What was measured of it, eager PyTorch first; several inputs one after the other.
        best: The row to take, or None where nothing is faster than eager PyTorch.
        failure: Why there are no rows, in one sentence, or an empty string.
        seconds: How long measuring it took.
    """

    name: str
    rows: tuple[BenchRow, ...]
    best: BenchRow | None
    failure: str
    seconds: float

    def compiled(self) -> tuple[BenchRow, ...]:
        """The rows that are not eager PyTorch's."""
        return tuple(row for row in self.rows if not row.setting.is_eager)


@dataclasses.dataclass(frozen=True, slots=True)
class SettingSummary:
    """What a setting does to a collection.

    Attributes:
        label: Its name, behind the workload's where there are several.
        models: Models that it was tried on.
        ran: Those that ran with right results.
        captured: Those that were captured whole: compiled, without a graph break.
        wrong: Those whose results are wrong.
        speedup: Geometric mean of eager time by its time over those that ran, or None.
        faster: How many are faster by more than noise.
        slower: How many are slower by more than noise.
        same: How many do not differ by more than noise, with any input.
        unknown: Those of them of which the noise leaves open whether they take twice or half as
            long, with any input.
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
    unknown: int


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
    """What is measured of a model, and how it is compiled."""
    return row.workload, row.setting.label


def _summary(label: str, each: Sequence[Sequence[BenchRow]], failed: int) -> SettingSummary:
    """That of a setting, by the rows of each model."""
    each = [rows for rows in each if rows and all(row.failure != INTERRUPTED for row in rows)]
    ran = [rows for rows in each if all(row.is_right for row in rows)]
    return SettingSummary(
        label=label,
        models=len(each) + failed,
        ran=len(ran),
        captured=sum(map(_is_whole, ran)),
        wrong=sum(any(row.is_wrong for row in rows) for rows in each),
        speedup=_geometric_mean([[row.faster for row in rows] for rows in ran]),
        faster=sum(all(row.faster and row.faster.low > 1 for row in rows) for rows in ran),
        slower=sum(all(row.faster and row.faster.high < 1 for row in rows) for rows in ran),
        same=sum(all(row.faster and not row.faster.is_known for row in rows) for rows in ran),
        unknown=sum(all(row.faster and row.faster.says_nothing for row in rows) for rows in ran),
    )


def _geometric_mean(models: Iterable[Iterable[Ratio | None]]) -> float | None:
    """That of all models' own ones, of those ratios that are known; None where there are none."""
    logs = [[math.log(ratio.middle) for ratio in each if ratio is not None] for each in models]
    means = [statistics.fmean(each) for each in logs if each]
    return math.exp(statistics.fmean(means)) if means else None


def _is_whole(rows: Iterable[BenchRow]) -> bool:
    found = [row.compiled for row in rows]
    return all(item is not None and item.graphs and not item.graph_breaks for item in found)
