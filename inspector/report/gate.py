"""Whether a report passes: what it was asked to fail on, and what is known already."""

import dataclasses
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from inspector.report.baseline import Baseline, compared
from inspector.report.escaping import one_line
from inspector.report.fail_on import fails_on
from inspector.report.finding import Finding
from inspector.report.incomplete import incomplete
from inspector.report.wording import count, kind, location, title
from inspector.run.run import Run


@dataclasses.dataclass(frozen=True, slots=True)
class Compared:
    """What has changed since an earlier report.

    Attributes:
        name: The earlier report's file.
        new: Number of findings that the earlier report does not have.
        known: Number of findings that the earlier report also has.
        fixed: Findings of the earlier report that no longer occur.
        differences: Differences in target, versions and settings from the earlier recording, such
            as ``torch 2.11.0 → 2.13.0``.
    """

    name: str
    new: int
    known: int
    fixed: tuple[Finding, ...]
    differences: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Gate:
    """The verdict on a report.

    Attributes:
        fail_on: Ids of rules and names of severities that it fails on.
        failing: Number of findings that make it fail; with a baseline, only new ones.
        incomplete: Reason why findings may be missing, which makes the gate fail, if there is one.
        baseline: What has changed since the baseline, or None without one.
    """

    fail_on: tuple[str, ...]
    failing: int
    incomplete: str
    baseline: Compared | None

    @property
    def passed(self) -> bool:
        """Whether it passes."""
        return not self.failing and not self.incomplete


def judged(
    run: Run, findings: Sequence[Finding], fail_on: tuple[str, ...], baseline: Baseline | None
) -> tuple[Gate, tuple[Finding, ...]]:
    """The verdict, and the findings with what it says about each."""
    since: Compared | None = None
    is_new: Sequence[bool | None] = [None] * len(findings)
    if baseline is not None:
        is_new, fixed = compared(findings, baseline.findings)
        known, differences = is_new.count(False), tuple(_differences(run, baseline))
        since = Compared(baseline.name, len(findings) - known, known, fixed, differences)
    marked = tuple(
        dataclasses.replace(
            item,
            is_new=new,
            fails_gate=new is not False and fails_on(fail_on, item.rule, item.severity),
        )
        for item, new in zip(findings, is_new, strict=True)
    )
    failing = sum(finding.fails_gate for finding in marked)
    return Gate(fail_on, failing, incomplete(run, marked), since), marked


def _differences(run: Run, baseline: Baseline) -> Iterator[str]:
    """What makes the two reports harder to compare."""
    is_trace = not run.meta.format_version
    if is_trace != baseline.is_trace:
        kinds = ("a recording", "a plain trace")
        yield f"{kinds[baseline.is_trace]} → {kinds[is_trace]}"
    was, now = PurePath(baseline.target).name, PurePath(run.meta.target).name
    if was != now and was and now:
        yield f"target {was} → {now}"
    versions = {process.versions.get("torch", "") for process in run.processes} - {""}
    torch = ", ".join(sorted(versions))
    if set(baseline.torch) != versions and baseline.torch and torch:
        yield f"torch {', '.join(baseline.torch)} → {torch}"
    before, after = baseline.settings, run.meta.settings
    for name in sorted(before.keys() & after.keys()):
        was, now = (json.dumps(value, default=str) for value in (before[name], after[name]))
        if was != now:
            yield f"{name} {was} → {now}"


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


def changes(gate: Gate, findings: Iterable[Finding]) -> Iterator[tuple[str, str, str, str]]:
    """What came, then what went, since the baseline: status, place, kind and title of each.

    The status is ``new``, ``new, passes`` (nobody asked to fail on it) or ``fixed``.
    """
    for finding in findings:
        if finding.is_new:
            new = "new" if finding.fails_gate else "new, passes"
            yield new, location(finding.place), kind(finding), title(finding)
    for known in gate.baseline.fixed if gate.baseline else ():
        yield "fixed", location(known.place), kind(known), title(known)
