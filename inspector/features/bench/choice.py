"""Which of the compared settings to take."""

import dataclasses
import math
from collections.abc import Sequence

from inspector.features.bench.ratio import ratio_of
from inspector.features.bench.rows import BenchRow

_NOTICEABLE = 0.02  # less memory than this is not worth a word


@dataclasses.dataclass(frozen=True, slots=True)
class Choice:
    """What to take for one workload and input.

    Attributes:
        latency: The shortest call that is shorter than eager's by more than noise, or None; of
            those that do not differ, the one that is ready first, if that is known.
        memory: The least memory at the peak, less than eager's by a noticeable part, or None.
        same: Those that do not differ from eager by more than noise, as `slower` do.
    """

    eager: BenchRow | None
    latency: BenchRow | None
    as_good: tuple[BenchRow, ...]
    memory: BenchRow | None
    slower: tuple[BenchRow, ...]
    same: tuple[BenchRow, ...]
    wrong: tuple[BenchRow, ...]

    @property
    def nearest(self) -> BenchRow | None:
        """Where nothing is faster than eager: the fastest of all that is right, or None."""
        if self.latency is not None:
            return None
        known = [(row.faster.middle, row) for row in (*self.same, *self.slower) if row.faster]
        return max(known, key=lambda each: each[0])[1] if known else None


def choose(rows: Sequence[BenchRow]) -> Choice:
    """Decides between the rows of one workload and input.

    Wrong results are never taken, nor is what fails sooner or later.
    """
    eager = next((row for row in rows if row.setting.is_eager and row.latency), None)
    compiled = [row for row in rows if not row.setting.is_eager and row.latency and row.faster]
    right = [row for row in compiled if row.is_right]
    best, others = _best([row for row in right if row.faster and row.faster.low > 1])
    return Choice(
        eager=eager,
        latency=best,
        as_good=tuple(others),
        memory=_least(eager, right),
        slower=tuple(row for row in right if row.faster and row.faster.high < 1),
        same=tuple(row for row in right if row.faster and not row.faster.is_known),
        wrong=tuple(row for row in compiled if row.is_wrong),
    )


def _best(faster: Sequence[BenchRow]) -> tuple[BenchRow | None, list[BenchRow]]:
    if not faster:
        return None, []
    # By the ratio, which is known better than the time.
    shortest = max(faster, key=lambda row: row.faster.middle if row.faster else 0)
    alike = [row for row in faster if row is shortest or _are_alike(row, shortest)]
    alike.sort(key=lambda row: row is not shortest)
    first = min(alike, key=lambda row: math.inf if row.first_ns is None else row.first_ns)
    return first, [row for row in alike if row is not first]


def _are_alike(one: BenchRow, other: BenchRow) -> bool:
    ratio = ratio_of(one.medians, other.medians)
    return ratio is not None and not ratio.is_known


def _least(eager: BenchRow | None, rows: Sequence[BenchRow]) -> BenchRow | None:
    known = [row for row in rows if row.memory.get("peak_allocated")]
    least = min(known, key=lambda row: row.memory["peak_allocated"], default=None)
    if eager is None or least is None:
        return None
    most = (1 - _NOTICEABLE) * eager.memory.get("peak_allocated", 0)
    return least if least.memory["peak_allocated"] < most else None
