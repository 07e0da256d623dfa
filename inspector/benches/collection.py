"""Many models, each measured by itself."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable, Sequence

from inspector.benches.rows import INTERRUPTED, BenchRow

__all__ = ["Measured", "SettingSummary", "summarized"]


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
        label: Its name.
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
    geometric mean.
    """
    labels = dict.fromkeys(row.setting.label for model in models for row in model.compiled())
    failed = sum(not model.rows and model.failure != INTERRUPTED for model in models)
    return tuple(_summary(label, models, failed) for label in labels)


def _summary(label: str, models: Sequence[Measured], failed: int) -> SettingSummary:
    each = [[row for row in model.compiled() if row.setting.label == label] for model in models]
    each = [rows for rows in each if rows and all(row.failure != INTERRUPTED for row in rows)]
    ran = [rows for rows in each if all(row.is_right for row in rows)]
    ratios = [found for rows in ran if (found := _speedup(rows)) is not None]
    return SettingSummary(
        label=label,
        models=len(each) + failed,
        ran=len(ran),
        captured=sum(map(_is_whole, ran)),
        wrong=sum(any(row.is_wrong for row in rows) for rows in each),
        speedup=math.exp(statistics.fmean(ratios)) if ratios else None,
        faster=sum(all(row.faster and row.faster.low > 1 for row in rows) for rows in ran),
        slower=sum(all(row.faster and row.faster.high < 1 for row in rows) for rows in ran),
        same=sum(all(row.faster and not row.faster.is_known for row in rows) for rows in ran),
        unknown=sum(all(row.faster and row.faster.says_nothing for row in rows) for rows in ran),
    )


def _speedup(rows: Iterable[BenchRow]) -> float | None:
    """The mean of the logarithms, or None."""
    logs = [math.log(row.faster.middle) for row in rows if row.faster is not None]
    return statistics.fmean(logs) if logs else None


def _is_whole(rows: Iterable[BenchRow]) -> bool:
    found = [row.compiled for row in rows]
    return all(item is not None and item.graphs and not item.graph_breaks for item in found)
