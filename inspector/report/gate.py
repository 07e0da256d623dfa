"""Whether a report passes: what it was asked to fail on, and what is known already."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from pathlib import PurePath

from inspector.report.baseline import Baseline, KnownFinding, compared
from inspector.report.fail_on import FailOn
from inspector.report.finding import Finding
from inspector.report.incomplete import incomplete
from inspector.run.run import Run


@dataclasses.dataclass(frozen=True, slots=True)
class Compared:
    """What has changed since an earlier report.

    Attributes:
        name: The earlier report's file.
        new: How many findings it does not have.
        known: How many it has.
        fixed: Those of its findings that are gone.
        differences: What was recorded otherwise back then, one each: ``torch 2.11.0 → 2.13.0``.
    """

    name: str
    new: int
    known: int
    fixed: tuple[KnownFinding, ...]
    differences: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Gate:
    """The verdict on a report.

    Attributes:
        fail_on: Ids of rules and names of severities that it fails on.
        failing: How many findings make it fail; with a baseline, new ones alone.
        incomplete: Why findings may be missing, so that it does not pass, or an empty string.
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
    run: Run, findings: tuple[Finding, ...], fail_on: FailOn, baseline: Baseline | None
) -> tuple[Gate, tuple[Finding, ...]]:
    """The verdict, and the findings with what it says about each."""
    since: Compared | None = None
    marked = findings
    if baseline is not None:
        comparison = compared(findings, baseline.findings)
        pairs = zip(findings, comparison.is_new, strict=True)
        marked = tuple(dataclasses.replace(finding, is_new=new) for finding, new in pairs)
        since = Compared(
            name=baseline.name,
            new=sum(comparison.is_new),
            known=len(findings) - sum(comparison.is_new),
            fixed=comparison.fixed,
            differences=tuple(_differences(run, baseline)),
        )
    marked = tuple(
        dataclasses.replace(item, fails_gate=item.is_new is not False and fail_on.matches(item))
        for item in marked
    )
    failing = sum(finding.fails_gate for finding in marked)
    return Gate(fail_on.names, failing, incomplete(run, marked), since), marked


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
    yield from _settings(baseline.settings, run.meta.settings)


def _settings(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[str]:
    for name in sorted(before.keys() & after.keys()):
        was, now = (json.dumps(value, default=str) for value in (before[name], after[name]))
        if was != now:
            yield f"{name} {was} → {now}"
