"""Published figures beside what was measured here."""

from __future__ import annotations

import dataclasses
import enum
import math
import statistics
from collections.abc import Sequence

from inspector.benches.ratio import Ratio, ratio_of
from inspector.benches.rows import BenchRow
from inspector.model.claims import PAIRS, Claim

_FIRST_CALL = "first_call_ms"
_SAME = 0.05
_MB = 1_000_000


class Verdict(enum.Enum):
    """What becomes of a claim."""

    AS = "as claimed"
    MORE = "more than claimed"
    LESS = "less than claimed"
    NOISE = "within noise"
    SHORTER = "shorter than claimed"
    LONGER = "longer than claimed"
    PARTLY = "partly"
    NONE = "not measured"


@dataclasses.dataclass(frozen=True, slots=True)
class Check:
    """A claim, and what was measured.

    Attributes:
        claim: The claim.
        verdict: What becomes of it.
        first: Eager PyTorch's figure, or the least one measured; in the metric's unit, or None.
        second: The setting's figure, or the largest one measured, or None.
        gain: How many times better than eager PyTorch, or None; its interval is that of another
            run where one is known, and a point elsewhere. Of a gain that is claimed, over several
            inputs, it is the geometric mean, and reaches as far as any of them.
        reason: Why it was not measured, or an empty string.
    """

    claim: Claim
    verdict: Verdict
    first: float | None = None
    second: float | None = None
    gain: Ratio | None = None
    reason: str = ""


def checked(claim: Claim, rows: Sequence[BenchRow]) -> Check:
    """Checks a claim.

    Figures of two machines are not compared: of pairs it is the gain, which is as claimed when it
    is so within 5 %, or within the noise of what was measured here. Ranges are compared as they
    are, with 5 % at both ends; of a gain, what its interval lets it be counts as noise, too.

    Args:
        claim: The claim.
        rows: What was measured of the model.
    """
    mine = [row for row in rows if row.setting.label == claim.setting]
    missing = _missing(claim, mine, rows)
    if missing:
        return _unmeasured(claim, missing)
    if claim.metric in PAIRS:
        return _pair(claim, mine, rows)
    if claim.metric == "speedup":
        return _speedup(claim, mine)
    return _range(claim, _milliseconds(claim.metric, mine))


def _missing(claim: Claim, mine: Sequence[BenchRow], rows: Sequence[BenchRow]) -> str:
    """Why a claim cannot be checked, or an empty string."""
    if not mine:
        labels = ", ".join(dict.fromkeys(row.setting.label for row in rows))
        return f"there is no setting {claim.setting}, only {labels or 'none'}"
    failed = next((row for row in mine if row.latency is None or row.fails_later), None)
    if failed is not None:
        return failed.failure or "it was not measured"
    return "its results are wrong" if any(row.is_wrong for row in mine) else ""


def _unmeasured(claim: Claim, reason: str) -> Check:
    return Check(claim, Verdict.NONE, reason=reason)


def _pair(claim: Claim, mine: Sequence[BenchRow], rows: Sequence[BenchRow]) -> Check:
    if len(mine) > 1:
        return _unmeasured(claim, f"there are {len(mine)} inputs or workloads, and a pair has one")
    (row,) = mine
    eager = next(
        (
            e
            for e in rows
            if e.setting.is_eager and (e.workload, e.input) == (row.workload, row.input)
        ),
        None,
    )
    first = _figure(claim.metric, eager) if eager is not None else None
    second = _figure(claim.metric, row)
    if not first or not second:
        return _unmeasured(claim, "one of the two figures is missing")
    gain = second / first if claim.metric == "throughput_per_s" else first / second
    ratio = _interval(claim.metric, row, eager) or Ratio(gain, gain, gain)
    return Check(claim, _of_gain(ratio, claim.gain or 1.0), first, second, ratio)


def _interval(metric: str, row: BenchRow, eager: BenchRow | None) -> Ratio | None:
    """The gain in another run, where times are what it comes from."""
    if metric == "throughput_per_s" and eager is not None:
        return ratio_of(eager.bursts, row.bursts) if row.bursts else row.faster
    return row.faster if metric == "time_ms" else None


def _figure(metric: str, row: BenchRow) -> float | None:
    if metric == "time_ms":
        return row.latency.middle_ns / 1e6 if row.latency else None
    if metric == "throughput_per_s":
        return row.items_per_s
    peak = row.memory.get("peak_allocated")
    return peak / _MB if peak else None


def _of_gain(gain: Ratio, claimed: float) -> Verdict:
    if abs(gain.middle / claimed - 1) <= _SAME:
        return Verdict.AS
    if gain.low <= claimed <= gain.high:
        return Verdict.NOISE
    return Verdict.MORE if gain.middle > claimed else Verdict.LESS


def _speedup(claim: Claim, mine: Sequence[BenchRow]) -> Check:
    ratios = [row.faster for row in mine if row.faster is not None]
    if len(ratios) < len(mine):
        return _unmeasured(claim, "no ratio to eager PyTorch is known")
    low = min(ratio.middle for ratio in ratios)
    high = max(ratio.middle for ratio in ratios)
    names = {Verdict.LONGER: Verdict.MORE, Verdict.SHORTER: Verdict.LESS}
    verdict = _within(claim, low, high)
    if verdict is not Verdict.AS and all(_can_be(claim, ratio) for ratio in ratios):
        verdict = Verdict.NOISE
    reach = Ratio(
        min(ratio.low for ratio in ratios),
        math.exp(statistics.fmean(math.log(ratio.middle) for ratio in ratios)),
        max(ratio.high for ratio in ratios),
    )
    return Check(claim, names.get(verdict, verdict), low, high, reach)


def _can_be(claim: Claim, ratio: Ratio) -> bool:
    """Whether a range has a part of what is known of a ratio."""
    return ratio.low <= claim.second and claim.first <= ratio.high


def _milliseconds(metric: str, mine: Sequence[BenchRow]) -> list[float]:
    if metric == _FIRST_CALL:
        return [row.first_ns / 1e6 for row in mine if row.first_ns is not None]
    return [row.latency.middle_ns / 1e6 for row in mine if row.latency is not None]


def _range(claim: Claim, found: Sequence[float]) -> Check:
    if not found:
        return _unmeasured(claim, "there is no such call")
    low, high = min(found), max(found)
    return Check(claim, _within(claim, low, high), low, high)


def _within(claim: Claim, low: float, high: float) -> Verdict:
    least, most = claim.first * (1 - _SAME), claim.second * (1 + _SAME)
    if least <= low and high <= most:
        return Verdict.AS
    if low > most:
        return Verdict.LONGER
    return Verdict.SHORTER if high < least else Verdict.PARTLY
