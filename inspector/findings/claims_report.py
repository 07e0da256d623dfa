"""What is said about published figures and what was measured of them."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterator, Sequence

from inspector.benches.claims import Check, Verdict
from inspector.findings.bench_report import BenchReport
from inspector.findings.several_benches import (
    device_of,
    machine_line,
    notices_of,
    rounds_of,
    versions_of,
)
from inspector.findings.wording import count
from inspector.findings.wrong_wording import wrong_lines
from inspector.model.claims import PAIRS, Claim, ClaimedModel, Claims

FORMAT_VERSION = 1
"""Of claims as JSON: counts up when a field changes its meaning or goes."""
CLAIM_COLUMNS = ("setting", "what", "published", "here", "")
_TIMES = "\N{MULTIPLICATION SIGN}"
_WHAT = {
    "time_ms": "time",
    "throughput_per_s": "throughput",
    "peak_mb": "peak memory",
    "first_call_ms": "first calls",
    "cached_call_ms": "later calls",
    "speedup": "faster",
}
_UNITS = {"time_ms": " ms", "throughput_per_s": "/s", "peak_mb": " MB", "speedup": _TIMES}
_DIGITS = 3


@dataclasses.dataclass(frozen=True, slots=True)
class CheckedModel:
    """A model whose claims were checked.

    Attributes:
        model: The model.
        inputs: Shapes of its inputs, as text.
        checks: Its claims, each with what was measured.
        seconds: How long measuring it took.
    """

    model: ClaimedModel
    inputs: str
    checks: tuple[Check, ...]
    seconds: float


@dataclasses.dataclass(frozen=True, slots=True)
class ClaimsReport:
    """Everything that is said about a file of claims.

    Attributes:
        claims: The file.
        models: What became of its models, in order.
        device: The device's name, or an empty string.
        versions: Versions by package name.
        sessions: How often every process was begun anew, or 0.
        rounds: How many rounds of blocks a session has, or 0 for what 12 s are enough for.
        notices: What has to be known of the measurement; one sentence each.
    """

    claims: Claims
    models: tuple[CheckedModel, ...]
    device: str
    versions: dict[str, str]
    sessions: int
    rounds: int
    notices: tuple[str, ...]


def make_claims_report(
    claims: Claims,
    models: Sequence[CheckedModel],
    reports: Sequence[BenchReport],
    earlier: Sequence[BenchReport] = (),
) -> ClaimsReport:
    """Puts the models together.

    Args:
        claims: The file.
        models: What became of its models.
        reports: Of those that could be measured.
        earlier: Those of the reports that an earlier run has made.
    """
    absolute = (
        "what is compared of two times, rates or sizes is the gain: the figures themselves belong "
        "to their machines"
    )
    return ClaimsReport(
        claims=claims,
        models=tuple(models),
        device=device_of(reports),
        versions=versions_of(reports),
        sessions=max((report.plan.sessions for report in reports), default=0),
        rounds=rounds_of(reports),
        notices=(absolute, *_wrong(reports), *notices_of(reports, earlier)),
    )


def _wrong(reports: Sequence[BenchReport]) -> Iterator[str]:
    """What is off where a claim is not measured for that."""
    for report in reports:
        eagers = [row for row in report.rows if row.setting.is_eager]
        for row in report.rows:
            if row.is_wrong:
                lines = wrong_lines([row], eagers=eagers)
                yield f"{report.plan.target}: {'; '.join(lines)}"


def claims_machine(report: ClaimsReport) -> str:
    """``claims.toml · torch 2.13.0 · cpu · 3 sessions``."""
    return machine_line(report.claims.file, report.versions, report.device, report.sessions)


def claims_line(report: ClaimsReport) -> str:
    """``of 12 claims 5 as claimed, 4 more than claimed, 3 less than claimed``."""
    found = Counter(check.verdict for model in report.models for check in model.checks)
    parts = [f"{found[verdict]} {verdict.value}" for verdict in Verdict if found[verdict]]
    return f"of {count(found.total(), 'claim')} {', '.join(parts)}"


def claim_cells(model: CheckedModel) -> Iterator[tuple[str, ...]]:
    """A line of the table for each claim, as `CLAIM_COLUMNS` names them."""
    for check in model.checks:
        claim = check.claim
        yield (
            claim.setting,
            _WHAT[claim.metric],
            _published(claim),
            check.reason or _measured(check),
            check.verdict.value,
        )


def _published(claim: Claim) -> str:
    gain = f" ({_ratio(claim.gain)})" if claim.gain is not None else ""
    return f"{_both(claim.metric, claim.first, claim.second)}{gain}"


def _measured(check: Check) -> str:
    if check.first is None or check.second is None:
        return "-"
    text = _both(check.claim.metric, check.first, check.second)
    gain = check.gain
    if gain is None:
        return text
    is_point = math.isclose(gain.low, gain.high)
    reach = "" if is_point else f"{gain.low:.2f} to {gain.high:.2f}"
    # What is claimed to be faster is a gain already.
    middle = _ratio(gain.middle) if check.claim.metric in PAIRS else ""
    more = ", ".join(part for part in (middle, reach) if part)
    return f"{text} ({more})" if more else text


def _both(metric: str, first: float, second: float) -> str:
    unit = _UNITS.get(metric, " ms")
    if metric in PAIRS:
        return f"{_figure(first)} \N{RIGHTWARDS ARROW} {_figure(second)}{unit}"
    if math.isclose(first, second):
        return f"{_figure(first)}{unit}"
    return f"{_figure(first)} to {_figure(second)}{unit}"


def _figure(value: float) -> str:
    """Three digits, and more only before the point: ``0.72``, ``15``, ``1,200``."""
    whole = len(str(int(value))) if value >= 1 else 0
    if not whole:
        return f"{value:.{_DIGITS}g}"
    text = f"{value:,.{max(0, _DIGITS - whole)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _ratio(value: float | None) -> str:
    return f"{value:.2f}{_TIMES}" if value is not None else ""
