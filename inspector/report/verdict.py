"""What a gate's verdict says, in the words that every renderer uses."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.report.escaping import one_line
from inspector.report.finding import Finding
from inspector.report.gate import Gate
from inspector.report.report import Report
from inspector.report.wording import count, kind, location, title


def verdict(gate: Gate) -> str:
    """Whether the gate passes and why not, in one sentence without a full stop."""
    since = gate.baseline
    asked = f"(--fail-on {','.join(gate.fail_on)})"
    noun = "new finding" if since else "finding"
    parts = []
    if gate.failing:
        parts.append(f"{count(gate.failing, noun)} {asked}")
    if gate.incomplete:
        parts.append(f"findings may be missing: {one_line(gate.incomplete)}")
    if gate.passed:
        parts.append(f"no {noun} {asked}")
    if since:
        counts = f"{since.new:,} new, {since.known:,} known, {len(since.fixed):,} fixed"
        parts.append(f"{counts} since {one_line(since.name)}")
    return f"{'passed' if gate.passed else 'failed'}: {'; '.join(parts)}"


def status(finding: Finding) -> str:
    """``new`` or ``known``; empty without a baseline."""
    return {True: "new", False: "known", None: ""}[finding.is_new]


def changes(report: Report) -> Iterator[tuple[str, str, str, str]]:
    """What came, then what went, since the baseline: status, place, kind and title of each.

    The status is ``new``, ``new, passes`` (nobody asked to fail on it) or ``fixed``.
    """
    if report.gate is None or report.gate.baseline is None:
        return
    for finding in report.findings:
        if finding.is_new:
            new = "new" if finding.fails_gate else "new, passes"
            yield new, location(finding.place), kind(finding), title(finding)
    for known in report.gate.baseline.fixed:
        place = f"{known.file or '(unknown place)'}{f':{known.line}' if known.line else ''}"
        words = known.rule.replace("-", " ") + (f" {known.gb_id}" if known.gb_id else "")
        yield "fixed", one_line(place), one_line(words), one_line(known.message)
